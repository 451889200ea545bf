/** A form as browsers send it. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { plainJson } from '../../../runtime/access/plain-json.ts'
import type { HttpRequest } from '../../server/http.ts'

export class SubmittedForm {
  readonly #fields: URLSearchParams

  constructor(fields = new URLSearchParams()) {
    this.#fields = fields
  }

  /** Trimmed; '' if there is no such field. */
  text(name: string): string {
    return (this.#fields.get(name) ?? '').trim()
  }

  /** Not trimmed, because spaces at the ends of a password count. */
  exact(name: string): string {
    return this.#fields.get(name) ?? ''
  }

  /** Undefined if the field is empty. */
  given(name: string): string | undefined {
    return this.text(name) || undefined
  }

  all(name: string): readonly string[] {
    return this.#fields.getAll(name)
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  entries(): readonly (readonly [string, string])[] {
    return [...this.#fields]
  }
}

/** Throws `unsupported_media_type`, `too_large`, `bad_request`. */
export async function readForm(request: HttpRequest): Promise<SubmittedForm> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new ServiceError(
      'unsupported_media_type',
      'This URL accepts only forms sent from its own pages.',
    )
  }
  const bytes = await request.body(limits.formBytes)
  const fields = new URLSearchParams(Buffer.from(bytes).toString('utf8'))
  // Browsers send CR LF, but records use LF only.
  const plain = [...fields].map(([name, value]) => [name, plainJson(newlines(value)) as string])
  return new SubmittedForm(new URLSearchParams(plain as [string, string][]))
}

const newlines = (text: string): string => text.replaceAll(/\r\n?/g, '\n')
