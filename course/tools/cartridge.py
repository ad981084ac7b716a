"""The table of contents of an IMS Common Cartridge 1.1, which Moodle and Canvas import."""

import xml.etree.ElementTree as xml

CARTRIDGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
METADATA = "http://ltsc.ieee.org/xsd/imsccv1p1/LOM/manifest"


def manifest(identifier, course, modules):
    """Text of imsmanifest.xml; ``modules`` maps titles to lists of files."""
    root = xml.Element("manifest", {"identifier": identifier, "xmlns": CARTRIDGE})
    root.set("xmlns:lom", METADATA)
    metadata = xml.SubElement(root, "metadata")
    xml.SubElement(metadata, "schema").text = "IMS Common Cartridge"
    xml.SubElement(metadata, "schemaversion").text = "1.1.0"
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
            xml.SubElement(link, "title").text = file
            resource = xml.SubElement(
                resources, "resource", identifier=reference, type="webcontent", href=file
            )
            xml.SubElement(resource, "file", href=file)
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)
