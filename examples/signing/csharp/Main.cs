using System;
using System.Net.Http;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

/// <summary>Sends a command and waits for its outcome.</summary>
static class Program
{
    const string Commands = "/api/v1/open/downlink/commands";

    static int Main()
    {
        try
        {
            return Send().GetAwaiter().GetResult();
        }
        catch (HttpRequestException error)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }

    /// <summary>The exit code.</summary>
    static async Task<int> Send()
    {
        var reboot = "{\"vendor\":\"vendor_a\",\"device_id\":\"ok-1\",\"command_type\":\"reboot\",\"payload\":{},"
            + "\"idempotency_key\":\"" + Guid.NewGuid() + "\"}";
        using (var client = new HttpClient(new SigningHandler(Setting("TOP_CLIENT_ID"), Setting("TOP_SECRET"))))
        {
            client.BaseAddress = new Uri(Setting("TOP_BASE_URL"));
            var accepted = await client.PostAsync(Commands, new StringContent(reboot, Encoding.UTF8, "application/json"));
            var text = await accepted.Content.ReadAsStringAsync();
            if (!accepted.IsSuccessStatusCode)
            {
                Console.Error.WriteLine(text);
                return 1;
            }
            // Usually a library such as System.Text.Json reads JSON.
            var commandId = Regex.Match(text, "\"command_id\":\"([^\"]+)\"").Groups[1].Value;
            Console.WriteLine(await client.GetStringAsync(Commands + "/" + commandId + "?wait_seconds=30"));
            return 0;
        }
    }

    static string Setting(string name)
    {
        return Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name + " is not set.");
    }
}
