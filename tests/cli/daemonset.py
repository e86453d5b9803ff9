#!/usr/bin/python3
"""daemonset.py - does a DaemonSet hold together, and what does it ask for?

Usage: daemonset.py FILE CONFIG

Writes its configuration into CONFIG, and prints the capabilities of its container as setpriv(1) has them. Each
volume that is mounted is there, and each one that is there is mounted; nothing is privileged.
"""
import sys

import yaml


def refuse(*text):
    print("daemonset:", *text, file=sys.stderr)
    sys.exit(1)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        items = {item["kind"]: item for item in yaml.safe_load_all(file)}
    pod = items["DaemonSet"]["spec"]["template"]["spec"]
    if items["DaemonSet"]["spec"]["selector"]["matchLabels"] != items["DaemonSet"]["spec"]["template"]["metadata"]["labels"]:
        refuse("it selects other pods than its own")
    container, = pod["containers"]
    security = container["securityContext"]
    if security.get("privileged") or security["allowPrivilegeEscalation"] or not security["readOnlyRootFilesystem"]:
        refuse("it is privileged:", security)
    if security["capabilities"]["drop"] != ["ALL"]:
        refuse("it keeps what the runtime gives by default")
    if {mount["name"] for mount in container["volumeMounts"]} != {volume["name"] for volume in pod["volumes"]}:
        refuse("volumes that are not mounted, or not there")
    config, = [volume["configMap"] for volume in pod["volumes"] if "configMap" in volume]
    # Others may not write to it, or it is refused.
    if config["name"] != items["ConfigMap"]["metadata"]["name"] or config["defaultMode"] & 0o022:
        refuse("its configuration:", config)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(items["ConfigMap"]["data"]["watch.conf"])
    print(",".join("+" + name.lower() for name in security["capabilities"]["add"]))


main()
