# SPDX-License-Identifier: Apache-2.0
"""The work of `floor requests`, done by aiohttp: aiohttp_client.py requests URL COUNT IN-FLIGHT"""
import asyncio
import json
import os
import resource
import ssl
import sys
import time

import aiohttp


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main(url, count, in_flight):
    context = ssl.create_default_context(cafile=os.environ.get("BENCHMARK_CA"))
    connector = aiohttp.TCPConnector(limit=in_flight, ssl=context)
    remaining = iter(range(count))
    async with aiohttp.ClientSession(connector=connector) as session:

        async def worker():
            for _ in remaining:
                async with session.get(url) as response:
                    body = await response.read()
                    assert response.status == 200 and body

        before, start = cpu(), time.monotonic()
        await asyncio.gather(*(worker() for _ in range(in_flight)))
    print(json.dumps({
        "cpu_us": (cpu() - before) * 1e6 / count,
        "per_second": count / (time.monotonic() - start)}))


asyncio.run(main(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
