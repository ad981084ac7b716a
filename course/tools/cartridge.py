"""An IMS Common Cartridge, which Moodle and Canvas import, and the dates of the sets.

Moodle reads version 1.1, which knows no assignments. Version 1.3 does, and Canvas reads it, with
dates in an extension of its own.
"""

import xml.etree.ElementTree as xml
from datetime import timedelta

CARTRIDGE = "http://www.imsglobal.org/xsd/imsccv1p{}/imscp_v1p1"
METADATA = "http://ltsc.ieee.org/xsd/imsccv1p{}/LOM/manifest"
ASSIGNMENT = "http://www.imsglobal.org/xsd/imscc_extensions/assignment"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"


def manifest(identifier, course, modules):
    """Text of imsmanifest.xml; ``modules`` maps titles to lists of files, assignments as XML."""
    minor = 3 if any(is_assignment(file) for files in modules.values() for file in files) else 1
    root = xml.Element("manifest", {"identifier": identifier, "xmlns": CARTRIDGE.format(minor)})
    root.set("xmlns:lom", METADATA.format(minor))
    metadata = xml.SubElement(root, "metadata")
    xml.SubElement(metadata, "schema").text = "IMS Common Cartridge"
    xml.SubElement(metadata, "schemaversion").text = f"1.{minor}.0"
    general = xml.SubElement(xml.SubElement(metadata, "lom:lom"), "lom:general")
    name = xml.SubElement(xml.SubElement(general, "lom:title"), "lom:string", language="en")
    name.text = course
    organization = xml.SubElement(
        xml.SubElement(root, "organizations"),
        "organization",
        identifier="organization",
        structure="rooted-hierarchy",
    )
    top = xml.SubElement(organization, "item", identifier="top")
    resources = xml.SubElement(root, "resources")
    for i, (module, files) in enumerate(modules.items()):
        item = xml.SubElement(top, "item", identifier=f"module-{i}")
        xml.SubElement(item, "title").text = module
        for j, file in enumerate(files):
            reference = f"file-{i}-{j}"
            link = xml.SubElement(item, "item", identifier=f"item-{i}-{j}", identifierref=reference)
            xml.SubElement(link, "title").text = module if is_assignment(file) else file
            kind = "assignment_xmlv1p0" if is_assignment(file) else "webcontent"
            resource = xml.SubElement(
                resources, "resource", identifier=reference, type=kind, href=file
            )
            xml.SubElement(resource, "file", href=file)
    return written(root)


def is_assignment(file):
    """Whether a file of a cartridge is an assignment."""
    return file.endswith(".xml")


def assignment(name, title, points, due=None):
    """Text of the assignment of a set; ``due`` is the last day to hand it in."""
    root = xml.Element("assignment", {"identifier": f"assignment-{name}", "xmlns": ASSIGNMENT})
    xml.SubElement(root, "title").text = title
    text = xml.SubElement(root, "text", texttype="text/plain")
    text.text = f"Answer the notebook in {name}.zip, and hand in {name}.ipynb under its own name."
    xml.SubElement(root, "gradable", points_possible=str(points)).text = "true"
    xml.SubElement(xml.SubElement(root, "submission_formats"), "format", type="file")
    if due:
        own = xml.SubElement(xml.SubElement(root, "extensions"), "assignment", xmlns=CANVAS)
        xml.SubElement(own, "due_at").text = f"{due}T23:59:00"
    return written(root)


def last_day(start, week):
    """The last day of a week of the course, which begins on the day ``start``."""
    return start + timedelta(days=7 * week - 1)


def calendar(days):
    """Text of a calendar (iCalendar), which every platform reads; ``days`` maps titles to days."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Calibrating Binary Classifiers//EN"]
    for title, day in days.items():
        date = f"{day:%Y%m%d}"
        lines += ["BEGIN:VEVENT", f"UID:{date}@calibration", f"DTSTAMP:{date}T000000Z"]
        lines += [
            f"DTSTART;VALUE=DATE:{date}",
            "SUMMARY:Due: " + title.replace(",", r"\,"),
            "END:VEVENT",
        ]
    return "\r\n".join([*lines, "END:VCALENDAR", ""])


def written(root):
    """The text of a document."""
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)
