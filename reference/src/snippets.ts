import type { Document, Media, Operation } from './examples.js';

/** The signing code of docs/signing-code.md: the text of each file, by its language. */
export type SigningCode = Record<'go' | 'java' | 'csharp' | 'php' | 'ruby' | 'rust', string>;

type Call = { method: string; target: string; body: string; hasMismatch: boolean };
type Snippet = { lang: string; label: string; source: string };

/**
 * The same request in six more languages: the signing code of the guide, as it is tested, and a call. They are made here,
 * because in openapi.json the same code would stand 60 times.
 */
export function addSnippets({ paths }: Document, code: SigningCode): void {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operation['x-codeSamples'] = [
        ...(operation['x-codeSamples'] ?? []),
        ...snippetsOf(callOf(method.toUpperCase(), path, operation), code),
      ];
    }
  }
}

const snippetsOf = (call: Call, code: SigningCode): Snippet[] => [
  { lang: 'go', label: 'Go', source: goProgram(call, code.go) },
  { lang: 'java', label: 'Java', source: javaProgram(call, code.java) },
  { lang: 'csharp', label: 'C#', source: csharpProgram(call, code.csharp) },
  { lang: 'php', label: 'PHP', source: phpProgram(call, code.php) },
  { lang: 'ruby', label: 'Ruby', source: rubyProgram(call, code.ruby) },
  { lang: 'rust', label: 'Rust', source: rustProgram(call, code.rust) },
];

/** The request of the examples. */
function callOf(method: string, path: string, { parameters, requestBody, responses }: Operation): Call {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(inPath.find((parameter) => parameter.name === name)?.example),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(String(parameter.example))}`);
  const { example, examples = {} }: Media = requestBody?.content['application/json'] ?? {};
  const body = example ?? examples.default?.value;
  return {
    method,
    target: query.length > 0 ? `${target}?${query.join('&')}` : target,
    // A quote or a backtick would end a string of some language.
    body: body === undefined ? '' : JSON.stringify(body).replaceAll("'", '\\u0027').replaceAll('`', '\\u0060'),
    hasMismatch: Object.values(responses).some(({ headers = {} }) => 'Idempotency-Mismatch' in headers),
  };
}

const inSingleQuotes = (text: string) => `'${text.replaceAll('\\', '\\\\')}'`;

const goProgram = ({ method, target, body }: Call, code: string) => `${code
  .replace(/^.*?package signing\n/s, 'package main\n')
  .replace('\t"net/http"\n', '\t"net/http"\n\t"os"\n')}
// It needs TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET.
func main() {
	request, err := http.NewRequest("${method}", os.Getenv("TOP_BASE_URL")+"${target}", strings.NewReader(\`${body}\`))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: Transport{ClientID: os.Getenv("TOP_CLIENT_ID"), Secret: os.Getenv("TOP_SECRET")}}
	answer, err := client.Do(request)
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}
`;

const javaProgram = ({ method, target, body, hasMismatch }: Call, code: string) =>
  code
    .replace(
      'import java.net.http.HttpRequest;\n',
      'import java.net.http.HttpClient;\nimport java.net.http.HttpRequest;\nimport java.net.http.HttpResponse;\n',
    )
    .replace(
      '\n/** ',
      () => `
/** It needs TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET. Run \`java Main.java\`. */
final class Main {
    public static void main(String[] parameters) throws Exception {
        HttpRequest request = Signing.request(
                System.getenv("TOP_BASE_URL"), System.getenv("TOP_CLIENT_ID"), System.getenv("TOP_SECRET"),
                "${method}", "${target}", ${JSON.stringify(body)}.getBytes(StandardCharsets.UTF_8));
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
${
  hasMismatch
    ? `        answer.headers().firstValue("Idempotency-Mismatch").ifPresent(mismatch -> {
            System.err.println("The key belongs to another command: " + mismatch + " differ.");
            System.exit(1);
        });
`
    : ''
}        System.out.println(answer.body());
    }
}

/** `,
    );

const csharpProgram = ({ method, target, body }: Call, code: string) => `${code}
// It needs TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET.
static class Program
{
    static void Main()
    {
        Console.WriteLine(Send().GetAwaiter().GetResult());
    }

    static async Task<string> Send()
    {
        using (var client = new HttpClient(new SigningHandler(Setting("TOP_CLIENT_ID"), Setting("TOP_SECRET"))))
        {
            var request = new HttpRequestMessage(new HttpMethod("${method}"), Setting("TOP_BASE_URL") + "${target}");
${body && `            request.Content = new StringContent(${JSON.stringify(body)}, Encoding.UTF8, "application/json");\n`}            var answer = await client.SendAsync(request);
            return await answer.Content.ReadAsStringAsync();
        }
    }

    static string Setting(string name)
    {
        return Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name);
    }
}
`;

const phpProgram = ({ method, target, body, hasMismatch }: Call, code: string) => `${code}
// It needs TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET.
[$status, $answer, $headers] = send_signed(
    getenv('TOP_BASE_URL'), getenv('TOP_CLIENT_ID'), getenv('TOP_SECRET'),
    '${method}', '${target}', ${inSingleQuotes(body)},
);
${
  hasMismatch
    ? `$mismatch = $headers['idempotency-mismatch'] ?? null;
if ($mismatch !== null) {
    fwrite(STDERR, "The key belongs to another command: $mismatch differ.\\n");
    exit(1);
}
`
    : ''
}echo $answer, "\\n";
`;

const rubyProgram = ({ method, target, body, hasMismatch }: Call, code: string) => `${code}
# It needs TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET.
base_url, client_id, secret = ENV.values_at('TOP_BASE_URL', 'TOP_CLIENT_ID', 'TOP_SECRET')
answer = send_signed(base_url, client_id, secret, '${method}', '${target}', ${inSingleQuotes(body)})
${
  hasMismatch
    ? `mismatch = answer['Idempotency-Mismatch']
abort "The key belongs to another command: #{mismatch} differ." if mismatch
`
    : ''
}puts answer.body
`;

/** The crates are those of docs/signing-code.md. */
const rustProgram = ({ method, target, body, hasMismatch }: Call, code: string) => `${code}
// It needs TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET, and these crates:
// cargo add hex@0.4 hmac@0.13 sha2@0.11 ureq@3 && cargo add uuid@1 --features v4
fn main() {
    let (method, target, body) = ("${method}", "${target}", r#"${body}"#);
    let [base_url, client_id, secret] =
        ["TOP_BASE_URL", "TOP_CLIENT_ID", "TOP_SECRET"].map(|name| std::env::var(name).expect(name));
    let nonce = uuid::Uuid::new_v4().to_string();
    let mut request = ureq::http::Request::builder().method(method).uri(format!("{base_url}{target}"));
    request = request.header("Content-Type", "application/json");
    for (name, value) in headers(&client_id, &secret, method, target, &nonce, body.as_bytes()) {
        request = request.header(name, value);
    }
    // Without this setting, ureq hides the body of a refusal.
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.run(request.body(body).unwrap()).unwrap();
${
  hasMismatch
    ? `    if let Some(mismatch) = answer.headers().get("Idempotency-Mismatch") {
        eprintln!("The key belongs to another command: {} differ.", mismatch.to_str().unwrap());
        std::process::exit(1);
    }
`
    : ''
}    println!("{}", answer.body_mut().read_to_string().unwrap());
}
`;
