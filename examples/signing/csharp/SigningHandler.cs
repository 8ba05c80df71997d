using System;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

/// <summary>
/// Signs what an HttpClient sends: new HttpClient(new SigningHandler(clientId, secret)). If the key of a command belongs to
/// another one, the call throws HttpRequestException.
/// </summary>
public sealed class SigningHandler : DelegatingHandler
{
    private readonly string clientId;
    private readonly string secret;

    public SigningHandler(string clientId, string secret) : base(new HttpClientHandler())
    {
        this.clientId = clientId;
        this.secret = secret;
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellation)
    {
        var body = request.Content == null ? new byte[0] : await request.Content.ReadAsByteArrayAsync();
        var target = request.RequestUri?.PathAndQuery ?? "";
        var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        var nonce = Guid.NewGuid().ToString();
        request.Headers.Add("X-Api-Id", clientId);
        request.Headers.Add("X-Api-Timestamp", timestamp);
        request.Headers.Add("X-Api-Nonce", nonce);
        request.Headers.Add("X-Api-Signature", Signature(secret, clientId, request.Method.Method, target, timestamp, nonce, body));
        var answer = await base.SendAsync(request, cancellation);
        if (!answer.Headers.Contains("Idempotency-Mismatch")) return answer;
        var mismatch = string.Join(", ", answer.Headers.GetValues("Idempotency-Mismatch"));
        answer.Dispose();
        throw new HttpRequestException("The key belongs to another command: " + mismatch + " differ.");
    }

    /// <summary>The value of X-Api-Signature.</summary>
    public static string Signature(
        string secret, string clientId, string method, string target, string timestamp, string nonce, byte[] body)
    {
        using (var sha256 = SHA256.Create())
        using (var hmac = new HMACSHA256(Encoding.ASCII.GetBytes(secret)))
        {
            var bodyHash = Hex(sha256.ComputeHash(body));
            var text = string.Join("\n", "HMAC-SHA256-V1", method, target, clientId, timestamp, nonce, bodyHash);
            return "v1=" + Hex(hmac.ComputeHash(Encoding.ASCII.GetBytes(text)));
        }
    }

    private static string Hex(byte[] bytes)
    {
        return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
    }
}
