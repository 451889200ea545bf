/** Code samples that show how a receiver verifies messages. */
import type { SignatureKind } from '../../../../../proto/access/webhooks/endpoint.ts'
import { Collapsible } from '../../../../html/form.tsx'

interface Sample {
  readonly label: string
  readonly needs: string
  readonly text: string
}

/** Samples with the libraries of Standard Webhooks. */
const hmac: readonly Sample[] = [
  {
    label: 'Node',
    needs: 'npm install standardwebhooks',
    text: `import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…

createServer(async (request, response) => {
  try {
    // Use the body as received; parsing and serialising would change it.
    const event = webhook.verify(await text(request), request.headers)
    response.writeHead(204).end()
    console.log(event.type, event.data.url)
  } catch {
    response.writeHead(400).end()
  }
}).listen(3000)
`,
  },
  {
    label: 'Python',
    needs: 'pip install standardwebhooks flask',
    text: `import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])  # whsec_…

@app.post("/hooks")
def hooks():
    try:
        # Use the body as received; parsing and serialising would change it.
        event = webhook.verify(request.get_data(as_text=True), dict(request.headers))
    except WebhookVerificationError:
        return "", 400
    print(event["type"], event["data"]["url"])
    return "", 204
`,
  },
]

const ed25519: readonly Sample[] = [
  {
    label: 'Node',
    needs: 'No dependencies',
    text: `import { createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const raw = Buffer.from(process.env.WEBHOOK_PUBLIC_KEY.replace('whpk_', ''), 'base64')
const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })

function isGood(headers, body) {
  const sentAt = headers['webhook-timestamp']
  const isRecent = Math.abs(Date.now() / 1000 - Number(sentAt)) < 300
  const content = Buffer.from(headers['webhook-id'] + '.' + sentAt + '.' + body)
  const signatures = String(headers['webhook-signature']).split(' ')
  return isRecent && signatures.some((one) => {
    const [version, signature = ''] = one.split(',')
    return version === 'v1a' && verify(null, content, key, Buffer.from(signature, 'base64'))
  })
}

createServer(async (request, response) => {
  // Use the body as received; parsing and serialising would change it.
  const body = await text(request)
  const status = isGood(request.headers, body) ? 204 : 400
  response.writeHead(status).end()
  if (status === 204) console.log(JSON.parse(body).type)
}).listen(3000)
`,
  },
  {
    label: 'Python',
    needs: 'pip install cryptography flask',
    text: `import base64, os, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from flask import Flask, request

app = Flask(__name__)
raw = base64.b64decode(os.environ["WEBHOOK_PUBLIC_KEY"].removeprefix("whpk_"))
key = Ed25519PublicKey.from_public_bytes(raw)

def is_good(headers, body):
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        return False
    content = f"{headers['webhook-id']}.{sent_at}.{body}".encode()
    for one in headers["webhook-signature"].split(" "):
        version, _, signature = one.partition(",")
        try:
            if version == "v1a":
                key.verify(base64.b64decode(signature), content)
                return True
        except InvalidSignature:
            pass
    return False

@app.post("/hooks")
def hooks():
    # Use the body as received; parsing and serialising would change it.
    return "", 204 if is_good(request.headers, request.get_data(as_text=True)) else 400
`,
  },
]

const samples: Readonly<Record<SignatureKind, readonly Sample[]>> = { hmac, ed25519 }

export const VerificationSamples = ({
  kind,
  isOpen,
}: {
  kind: SignatureKind
  isOpen?: boolean
}) => (
  <Collapsible label="How to verify the signature" {...(isOpen && { isOpen })}>
    <p>
      Every message has the headers <code class="id">webhook-id</code>,{' '}
      <code class="id">webhook-timestamp</code> and <code class="id">webhook-signature</code>, as{' '}
      <a href="https://www.standardwebhooks.com" rel="noreferrer noopener">
        Standard Webhooks
      </a>{' '}
      specifies them. A message can arrive more than once, always with the same{' '}
      <code class="id">webhook-id</code>, and messages can arrive in any order.
    </p>
    {samples[kind].map(({ label, needs, text }) => (
      <>
        <h3>{label}</h3>
        <p class="hint">{needs}</p>
        <pre tabindex={0} role="region" aria-label={`Code for ${label}`}>
          <code>{text}</code>
        </pre>
      </>
    ))}
  </Collapsible>
)
