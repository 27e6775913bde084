"""The page in the browser: play, see the boards live, look back, and understand.

    server      a port, and what answers there until Ctrl-C
    safety      who may ask, how much, and what a browser may do with the answers
    pages       where each page is, and its HTML in one frame
    app         which address answers with what; the pages of one subject are in files of their own
    live        all boards, as browsers see them; what people do with them, controls and tasks

The logic is in Python. A page draws what it receives, and requests what it needs.
"""
