"""The centre as a service: requests of tables and witnesses' clients over HTTP, answered from a store."""
