"""One line of each kind on the wire: name, kind, seq, body, line. Worked out once, never regenerated."""

GOLDEN = (
    ("HELLO", 0x01, 0, "0202c0ffee01", ":01000202c0ffee01e1af1983"),
    ("STREAM", 0x02, 1, "00140023", ":020100140023782253c6"),
    ("PING", 0x03, 2, "00000001", ":0302000000013a91b0fb"),
    ("DIAG", 0x05, 3, "05", ":050305a2cdbcb5"),
    ("STATS", 0x06, 4, "", ":060410ee7160"),
    ("MAINT", 0x07, 5, "4d41494e03", ":07054d41494e030375569d"),
    ("BYE", 0x08, 6, "", ":080660633dc2"),
    (
        *("WELCOME", 0x81, 0),
        "c0ffee0102000801e6616408432b5c2102000000a1b2c3d4000004d2",
        ":8100c0ffee0102000801e6616408432b5c2102000000a1b2c3d4000004d2c3f9e9fe",
    ),
    ("ACK", 0x82, 1, "020100", ":8201020100af2796a5"),
    ("PONG", 0x83, 2, "0000000100000514", ":830200000001000005149a83fb7a"),
    (
        *("REPORT", 0x84, 255),
        "000004e6030005040007ff10000020102200fa4bc80fff1203000513243009c40203400834124e204000",
        ":84ff000004e6030005040007ff10000020102200fa4bc80fff1203000513243009c40203400834124e2040008c160b3c",
    ),
    ("DIAGNOSIS", 0x85, 3, "050020400866040002040002", ":850305002040086604000204000281d1c246"),
    (
        *("COUNTS", 0x86, 4),
        "004c4b400078000100000002000007d000010001e24000f0",
        ":8604004c4b400078000100000002000007d000010001e24000f0c8f9b31c",
    ),
)
"""REPORT: three dials, 0 and 2 wired, after 0, 7 and 255 jumps; two samples of dial 0, the second of a full read; a run
of dial 2 that crosses zero, and then no answer."""
