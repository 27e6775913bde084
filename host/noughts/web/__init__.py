"""The page in the browser: play, see the boards live, look back, and understand.

    server      a port, and what answers there until Ctrl-C
    safety      who may ask, how much, and what a browser may do with the answers
    site        what the parts share: the store, the token, whether all may change something
    pages       HTML in one frame, and the files next to it
    live        all boards, as browsers see them; what people do with them, controls and tasks
    (one file for each part)  what a page asks: JSON, and messages on a WebSocket

The logic is in Python. A page draws what it receives, and requests what it needs.
"""
