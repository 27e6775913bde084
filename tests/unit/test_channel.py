"""What is new goes to all browsers, no faster than each reads."""

import asyncio
import json
from types import SimpleNamespace

from noughts.web.channel import Channel, Follower


def test_who_follows_gets_the_newest_once():
    async def follow():
        channel = Channel()
        channel.set("a", 1)
        channel.set("b", [1])
        assert json.loads(channel.since(0)) == {"a": 1, "b": [1]}
        seen = channel.version
        for value in range(100):
            channel.set("a", value)
        channel.set("b", [1])
        assert json.loads(channel.since(seen)) == {"a": 99}
        channel.set("b", 2)
        assert json.loads(channel.since(seen)) == {"a": 99, "b": 2}
        assert channel.since(seen) is channel.since(seen)  # encoded once for all
        waiting = asyncio.ensure_future(channel.beyond(channel.version))
        await asyncio.sleep(0)
        assert not waiting.done()
        channel.set("c", None)
        await waiting

    asyncio.run(follow())


def test_one_that_confirms_nothing_is_sent_four_messages():
    """However much it confirmed before there was anything."""

    async def test():
        sent, channel = [], Channel()

        async def send(text):
            sent.append(json.loads(text))

        follower = Follower(SimpleNamespace(send_text=send))
        for _ in range(10):
            follower.confirmed()
        following = asyncio.create_task(follower.follow(channel))
        for value in range(20):
            channel.set("a", value)
            for _ in range(5):
                await asyncio.sleep(0)
        assert sent == [{"a": 0}, {"a": 1}, {"a": 2}, {"a": 3}]
        for _ in range(10):
            follower.confirmed()
        for value in range(20, 40):
            channel.set("a", value)
            for _ in range(5):
                await asyncio.sleep(0)
        assert sent[4:] == [{"a": value} for value in range(20, 24)]
        following.cancel()

    asyncio.run(test())
