using System.Security.Cryptography;
using System.Text;

/// <summary>Signs what an HttpClient sends: new HttpClient(new SigningHandler(clientId, secret)). .NET 6 or newer.</summary>
public sealed class SigningHandler : DelegatingHandler
{
    private readonly string clientId;
    private readonly byte[] key;

    public SigningHandler(string clientId, string secret) : base(new HttpClientHandler())
    {
        this.clientId = clientId;
        key = Encoding.ASCII.GetBytes(secret);
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellation)
    {
        var body = request.Content is null ? Array.Empty<byte>() : await request.Content.ReadAsByteArrayAsync(cancellation);
        var target = request.RequestUri!.PathAndQuery;
        var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        var nonce = Guid.NewGuid().ToString();
        var bodyHash = Convert.ToHexString(SHA256.HashData(body)).ToLowerInvariant();
        var text = string.Join("\n", "HMAC-SHA256-V1", request.Method.Method, target, clientId, timestamp, nonce, bodyHash);
        var mac = HMACSHA256.HashData(key, Encoding.ASCII.GetBytes(text));
        request.Headers.Add("X-Api-Id", clientId);
        request.Headers.Add("X-Api-Timestamp", timestamp);
        request.Headers.Add("X-Api-Nonce", nonce);
        request.Headers.Add("X-Api-Signature", "v1=" + Convert.ToHexString(mac).ToLowerInvariant());
        return await base.SendAsync(request, cancellation);
    }
}
