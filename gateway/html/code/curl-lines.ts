/** Formats requests as shell commands. */
import { devKey } from '../../../proto/accounts/dev-key.ts'

export interface CurlFacts {
  /** For example `https://browsers.example.com`. */
  readonly origin: string
  /** For example `/v1/sessions`. */
  readonly path: string
  /** Whether the well-known development key works here; otherwise the lines read TROUPE_KEY. */
  readonly usesDevKey: boolean
}

/** An empty body is left out. */
export function curlPost(of: CurlFacts & { body: Readonly<Record<string, unknown>> }): string {
  const lines = [`curl -X POST ${urlOf(of)}`, keyHeader(of)]
  if (Object.keys(of.body).length > 0) {
    lines.push(`  -H 'content-type: application/json'`, `  -d ${inShell(JSON.stringify(of.body))}`)
  }
  return lines.join(' \\\n')
}

export const curlGet = (of: CurlFacts): string => [`curl ${urlOf(of)}`, keyHeader(of)].join(' \\\n')

function urlOf({ origin, path }: CurlFacts): string {
  const url = `${origin}${path}`
  return /[?&]/.test(url) ? inShell(url) : url
}

const keyHeader = ({ usesDevKey }: CurlFacts): string =>
  `  -H "service-api-key: ${usesDevKey ? devKey : '$TROUPE_KEY'}"`

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
