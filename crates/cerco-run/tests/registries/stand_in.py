"""Stands in for package registries: makes a package of each kind, and serves each host its
own folder over https and http, on ports of its own choosing, which it prints."""

import base64, functools, hashlib, http.server, io, json, pathlib, ssl, subprocess, sys, tarfile, threading, zipfile

folder, certificate, key = sys.argv[1:4]
ROOT = pathlib.Path(folder)
DOMAIN = "registry.example"


def write(host, path, content):
    file = ROOT / f"{host}.{DOMAIN}" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


def tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


package = json.dumps({"name": "standin", "version": "1.0.0", "main": "index.js"})
tarball = tar({"package/package.json": package, "package/index.js": "module.exports = 42\n"})
integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
dist = {"tarball": f"https://npm.{DOMAIN}/files/standin-1.0.0.tgz", "integrity": integrity}
version = json.loads(package) | {"dist": dist}
write("npm", "standin", json.dumps({"name": "standin", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}))
write("npm", "files/standin-1.0.0.tgz", tarball)

wheel = io.BytesIO()
with zipfile.ZipFile(wheel, "w") as archive:
    archive.writestr("standin.py", "answer = 42\n")
    info = "standin-1.0.0.dist-info"
    archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: standin\nVersion: 1.0.0\n")
    archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    archive.writestr(f"{info}/RECORD", f"standin.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
name = "standin-1.0.0-py3-none-any.whl"
write("pip", f"files/{name}", wheel.getvalue())
write("pip", "simple/standin/index.html", f'<a href="/files/{name}">{name}</a>')

crate = tar({
    "standin-1.0.0/Cargo.toml": '[package]\nname = "standin"\nversion = "1.0.0"\nedition = "2021"\n',
    "standin-1.0.0/src/lib.rs": "pub const ANSWER: u32 = 42;\n",
})
line = {"name": "standin", "vers": "1.0.0", "deps": [], "cksum": hashlib.sha256(crate).hexdigest(), "features": {}, "yanked": False}
write("crates", "index/config.json", json.dumps({"dl": f"https://crates.{DOMAIN}/files"}))
write("crates", "index/st/an/standin", json.dumps(line) + "\n")
write("crates", "files/standin/1.0.0/download", crate)

work, bare = ROOT / "work", ROOT / f"git.{DOMAIN}" / "standin.git"
git = functools.partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
git(["git", "init", "-q", work])
(work / "file").write_text("42\n")
git(["git", "-C", work, "add", "file"])
git(["git", "-C", work, "-c", "user.name=t", "-c", "user.email=t@example", "commit", "-q", "-m", "one"])
git(["git", "clone", "-q", "--bare", work, bare])
git(["git", "-C", bare, "update-server-info"])


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def translate_path(self, path):
        host = self.headers.get("Host", "").split(":")[0]
        self.directory = str(ROOT / host)
        return super().translate_path(path)

    def log_message(self, *_):
        pass


secure = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
# Each connection greets on a thread of its own: one that never does must not stop the others.
secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
for server in (secure, plain):
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(secure.server_port, plain.server_port, flush=True)
sys.stdin.read()
