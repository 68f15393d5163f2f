"""The ten steps for pyinfra: pyinfra inventory.py pyinfra_deploy.py"""
from io import StringIO

from pyinfra import host
from pyinfra.facts.files import File
from pyinfra.operations import files, server

at = f"{host.data.place}/{host.data.folder}"
files.directory(path=at, mode="755")
files.put(src=StringIO("This host is watched.\nWork on it is announced first.\n"), dest=f"{at}/motd", mode="644")
files.put(src=StringIO("* soft nofile 65536\n* hard nofile 65536\n"), dest=f"{at}/limits.conf", mode="644")
files.file(path=f"{at}/app.conf", mode="640")
files.line(path=f"{at}/app.conf", line=r"^listen\s*=.*", replace="listen = 9200")
files.line(path=f"{at}/app.conf", line=r"^workers\s*=.*", replace="workers = 4")
files.block(path=f"{at}/app.conf", content="retention = 90\ncompress = true")
server.shell(commands=["uname -r"])
if not host.get_fact(File, path=f"{at}/stamp"):
    server.shell(commands=[f"touch {at}/stamp"])
host.get_fact(File, path=f"{at}/motd")
files.file(path=f"{at}/app.conf", mode="640")
