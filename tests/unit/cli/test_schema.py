from command_line import CommandLine

from imoca.methods.registry import added_method_names, method_names


def test_the_schema_describes_every_key_of_the_study_table(imoca: CommandLine) -> None:
    schema = imoca("schema").json
    settings = schema["$defs"]["SettingsTable"]
    assert settings["properties"]["method"]["enum"] == [*method_names(), *added_method_names()]
    assert all("description" in entry for entry in settings["properties"].values())
    assert settings["additionalProperties"] is False
    assert schema["required"] == ["parameters", "simulators"]


def test_the_schema_knows_an_output_as_a_goal_and_as_a_table(imoca: CommandLine) -> None:
    schema = imoca("schema").json
    goal, table = schema["$defs"]["SimulatorTable"]["properties"]["outputs"]["additionalProperties"]["oneOf"]
    assert goal["enum"] == ["minimize", "maximize", "constraint"]
    assert table == {"$ref": "#/$defs/OutputTable"}
    described = schema["$defs"]["OutputTable"]
    assert list(described["properties"]) == ["goal", "low", "high", "log", "unit"]
    assert all("description" in entry for entry in described["properties"].values())
    assert described["required"] == ["goal"]
    assert described["additionalProperties"] is False
