"""The figures of CPace's draft over X25519 and SHA-512 (appendix B.1 of revisions 13 and 21)."""

from __future__ import annotations

SID = bytes.fromhex("7e4b4791d6a8ef019b936c79fb7f2c57")
YA = bytes.fromhex("21b4f4bd9e64ed355c3eb676a28ebedaf6d8f17bdc365995b319097153044080")
YB = bytes.fromhex("848b0779ff415f0af4ea14df9dd1d3c29ac41d836c7808896c4eba19c51ac40a")

DRAFTS = {
    "13": (
        b"oc\x0bB_responder\x0bA_initiator",
        "64e8099e3ea682cfdc5cb665c057ebb514d06bf23ebc9f743b51b82242327074",
        "1b02dad6dbd29a07b6d28c9e04cb2f184f0734350e32bb7e62ff9dbcfdb63d15",
        "20cda5955f82c4931545bcbf40758ce1010d7db4db2a907013d79c7a8fcf957f",
        "f97fdfcfff1c983ed6283856a401de3191ca919902b323c5f950c9703df7297a",
        "a051ee5ee2499d16da3f69f430218b8ea94a18a45b67f9e86495b382c33d14a5"
        "c38cecc0cc834f960e39e0d1bf7d76b9ef5d54eecc5e0f386c97ad12da8c3d5f",
    ),
    "21": (
        b"\x0bA_initiator\x0bB_responder",
        "d04bf6d41f6a289632a2e929fa29bebd51092512a7829fdde7d314b62f05a73f",
        "1d13c89278cdadd826f6d8d7f887701430f8380ddc17611cdd6dc989ce0c9f32",
        "248cccf6d5cdc3646f0ad593f9e6cef4e69d4945f8372e623512ecea32185623",
        "5b067effbdc0b2a0e1d907b21ebb25cfedb96a852179a847c37e43ee71322c6b",
        "6e19b875f7a561d6b3ca3dbb9ef42ac55de3e717881018204b8922b4d5e53bb2"
        "aa82c300bea7b65d2b671da71922ddf6472301b79bc270adfa8bf413285f2263",
    ),
}
