// The few words that a phone needs before its first frame, in its own language. `make words` writes it.
// All others come in the frame's `ui`.
"use strict";

const EARLY = {
  en: {
    connecting: "Connecting …",
    lost: "No connection. Look at your screen or lamp.",
    code: "This code is used up. Scan a new one.",
    game: "No game is on.",
    full: "Too many phones. Trying again …",
    disk: "The table cannot save this. Wait …",
    moved: "Another phone has this seat now.",
    over: "The game is over.",
    scan: "Scan the code of your seat.",
  },
  de: {
    connecting: "Verbinde …",
    lost: "Keine Verbindung. Schau auf deinen Bildschirm oder deine Lampe.",
    code: "Dieser Code ist verbraucht. Scanne einen neuen.",
    game: "Es läuft kein Spiel.",
    full: "Zu viele Telefone. Neuer Versuch …",
    disk: "Der Tisch kann nicht speichern. Warte …",
    moved: "Ein anderes Telefon hat jetzt diesen Platz.",
    over: "Das Spiel ist aus.",
    scan: "Scanne den Code deines Platzes.",
  },
  es: {
    connecting: "Conectando …",
    lost: "Sin conexión. Mira tu pantalla o tu lámpara.",
    code: "Este código ya se ha usado. Escanea uno nuevo.",
    game: "No hay partida.",
    full: "Demasiados teléfonos. Nuevo intento …",
    disk: "La mesa no puede guardarlo. Espera …",
    moved: "Otro teléfono tiene ahora este puesto.",
    over: "La partida ha terminado.",
    scan: "Escanea el código de tu puesto.",
  },
  fr: {
    connecting: "Connexion …",
    lost: "Pas de connexion. Regarde ton écran ou ta lampe.",
    code: "Ce code a déjà servi. Scannes-en un nouveau.",
    game: "Pas de partie.",
    full: "Trop de téléphones. Nouvel essai …",
    disk: "La table ne peut pas l’enregistrer. Attends …",
    moved: "Un autre téléphone a maintenant cette place.",
    over: "La partie est finie.",
    scan: "Scanne le code de ta place.",
  },
  it: {
    connecting: "Connessione …",
    lost: "Nessuna connessione. Guarda il tuo schermo o la tua lampada.",
    code: "Questo codice è già stato usato. Scansionane uno nuovo.",
    game: "Nessuna partita.",
    full: "Troppi telefoni. Nuovo tentativo …",
    disk: "Il tavolo non può salvarlo. Aspetta …",
    moved: "Un altro telefono ha ora questo posto.",
    over: "La partita è finita.",
    scan: "Scansiona il codice del tuo posto.",
  },
};

const OWN = EARLY[(navigator.language || "en").slice(0, 2).toLowerCase()] || EARLY.en;
