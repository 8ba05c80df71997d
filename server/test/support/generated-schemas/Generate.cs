using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using NJsonSchema;
using NJsonSchema.Generation;
using NJsonSchema.NewtonsoftJson.Generation;

public enum Mode { Eco, Boost }
public class Slot { [Required] public DateTime From { get; set; } public TimeSpan Length { get; set; } [Range(0, 32)] public double Amps { get; set; } }
public class Parent { [Required] public string Name { get; set; } }
public class Profile : Parent {
  public Guid Id { get; set; }
  public Mode Mode { get; set; }
  public Mode? Later { get; set; }
  public int? Level { get; set; }
  public long Meter { get; set; }
  public decimal Price { get; set; }
  public byte[] Image { get; set; }
  public Uri Site { get; set; }
  public DateTimeOffset At { get; set; }
  public List<Slot> Slots { get; set; }
  public Slot First { get; set; }
  public Dictionary<string, int> Limits { get; set; }
  [StringLength(20, MinimumLength = 2)] [RegularExpression("^[A-Z]+$")] public string Code { get; set; }
  public object Any { get; set; }
  public bool On { get; set; }
}
/** Prints a line for each schema: its name, the schema and samples of values, between tabs. */
public static class Generate {
  static void Print(string name, JsonSchema schema, string samples) {
    Console.WriteLine(name + "\t" + schema.ToJson(Newtonsoft.Json.Formatting.None) + "\t" + samples);
  }
  public static void Main() {
    foreach (var type in new[] { SchemaType.JsonSchema, SchemaType.OpenApi3 }) {
      var settings = new NewtonsoftJsonSchemaGeneratorSettings { SchemaType = type };
      foreach (var model in new[] { typeof(Slot), typeof(Profile) }) {
        Print(type + " " + model.Name, new JsonSchemaGenerator(settings).Generate(model), "[" +
          "{\"From\":\"2026-01-31T09:30:00Z\",\"Length\":\"PT1H\",\"Amps\":16}," +
          "{\"From\":\"2026-01-31T09:30:00Z\",\"Amps\":33},{\"Amps\":1},{\"From\":\"now\"}]");
      }
    }
    Print("sample", JsonSchema.FromSampleJson("{\"v\": {\"a\": 1, \"b\": [\"x\"], \"at\": \"2026-01-31T09:30:00Z\", \"n\": null}}"), "[]");
  }
}
