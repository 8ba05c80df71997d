using System;
using System.Linq;

/// <summary>Signs the requests of standard input.</summary>
static class Vectors
{
    static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var f = line.Split('\t');
            var body = Enumerable.Range(0, f[6].Length / 2).Select(at => Convert.ToByte(f[6].Substring(2 * at, 2), 16)).ToArray();
            Console.WriteLine(SigningHandler.Signature(f[0], f[1], f[2], f[3], f[4], f[5], body));
        }
    }
}
