# SPDX-License-Identifier: Apache-2.0
"""Servers on loopback for benchmarks, and how the programs that are measured are run."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, ".build", "release")
SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"

NGINX = """
daemon off; master_process off; pid {directory}/nginx.pid; worker_rlimit_nofile 12000;
events {{ worker_connections 10000; }}
http {{
    access_log off; default_type text/plain; keepalive_requests 100000000;
    client_body_temp_path {directory}/b; proxy_temp_path {directory}/p;
    fastcgi_temp_path {directory}/f; uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s;
    ssl_certificate {directory}/server.pem; ssl_certificate_key {directory}/server.key;
    server {{
        listen 127.0.0.1:{port} backlog=4096; listen 127.0.0.1:{tls_port} ssl backlog=4096;
        root {directory}/files;
    }}
}}
"""

SILENT = """
import resource, selectors, socket
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
server = socket.create_server(("127.0.0.1", {port}), backlog=4096)
selector = selectors.DefaultSelector()
selector.register(server, selectors.EVENT_READ)
while True:
    for key, _ in selector.select():
        if key.fileobj is server:
            selector.register(server.accept()[0], selectors.EVENT_READ)
        elif not key.fileobj.recv(4096):
            selector.unregister(key.fileobj)
            key.fileobj.close()
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_for(port):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.01)


class Servers:
    """nginx with two files, with and without TLS, and a server that accepts and never answers."""

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="pollard-benchmark.")
        self.port, self.tls_port, self.silent_port = free_port(), free_port(), free_port()
        self.authority = f"{self.directory}/server.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", f"{self.directory}/server.key", "-out",
             self.authority], check=True, stderr=subprocess.DEVNULL)
        os.mkdir(f"{self.directory}/files")
        for name, size in (("1k", 1_000), ("20k", 20_000)):
            with open(f"{self.directory}/files/{name}", "wb") as file:
                file.write(os.urandom(size))
        with open(f"{self.directory}/nginx.conf", "w") as file:
            file.write(NGINX.format(
                directory=self.directory, port=self.port, tls_port=self.tls_port))
        nginx = ["/usr/sbin/nginx", "-e", "stderr", "-p", self.directory]
        self.processes = [
            subprocess.Popen(nginx + ["-c", f"{self.directory}/nginx.conf"]),
            subprocess.Popen([sys.executable, "-c", SILENT.format(port=self.silent_port)]),
        ]
        for port in (self.port, self.tls_port, self.silent_port):
            wait_for(port)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.directory)

    def url(self, name, scheme="http"):
        port = self.tls_port if scheme == "https" else self.port
        return f"{scheme}://127.0.0.1:{port}/{name}"


def measure(program, *arguments, authority=None):
    """The JSON objects that a program prints, as one; it trusts the certificates of `authority`."""
    command = [os.path.join(BUILD, program), *map(str, arguments)]
    if program.endswith(".py"):
        command[:1] = [sys.executable, os.path.join(HERE, program)]
    environment = dict(os.environ)
    if authority:
        environment["BENCHMARK_CA"] = authority
        # Foundation can't be told whom to trust, so the system's list is another one for it.
        command[:0] = [
            "unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount",
            "sh", "-c", f'mount --bind "$0" {SYSTEM_AUTHORITIES} && exec "$@"', authority]
    output = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout
    result = {}
    for line in output.splitlines():
        result.update(json.loads(line))
    if "error" in result:
        sys.exit(f"{program} {' '.join(command[1:])}: {result['error']}")
    return result
