# SPDX-License-Identifier: Apache-2.0
#
# Serves httpbin to the tests, on a port that the kernel chooses, as long as their process lives.
import os
import signal
import threading
import time

bind = "127.0.0.1:0"
worker_class = "gthread"
threads = 16
keepalive = 60
control_socket_disable = True


def when_ready(server):
    tests = os.getppid()

    def watch():
        while os.getppid() == tests:
            time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
