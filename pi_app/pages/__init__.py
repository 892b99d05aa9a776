"""Phones as private screens: what each phone is shown, sealed for it alone, and the process that hands it over.

`sealing` has the cipher and the keys of one phone; `joining` the codes and who holds which seat; `content` what a
frame says, and `sizes` how long all frames are. The table's process uses these. `messages` and `link` connect it to the
page process (`process/`), which speaks HTTP with phones and never holds a key or a secret. `page/` is the page itself.
"""
