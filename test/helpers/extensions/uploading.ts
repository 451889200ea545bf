/** Uploads extensions to a running service. */
import { form } from '../service/files.ts'
import type { ErrorJson, Service } from '../service/service.ts'

export interface ExtensionJson {
  readonly id: string
  readonly name: string
  readonly chromium_id: string
  readonly needs_own_network: readonly string[]
  readonly manifest: { readonly name: string; readonly permissions: readonly string[] }
}

export interface UploadedAnswer {
  readonly status: number
  readonly body: { readonly data: ExtensionJson; readonly error: ErrorJson }
}

/** The answer, also of a refusal. */
export async function upload(
  { baseUrl, key }: Pick<Service, 'baseUrl' | 'key'>,
  name: string,
  file: Buffer,
): Promise<UploadedAnswer> {
  const response = await fetch(`${baseUrl}/v1/extensions`, {
    method: 'POST',
    headers: { 'service-api-key': key },
    body: form(['name', name], ['file', new Blob([Uint8Array.from(file)]), 'extension.zip']),
  })
  const body = (await response.json()) as UploadedAnswer['body']
  return { status: response.status, body }
}

/** The uploaded extension; a refusal throws with the service's message. */
export async function uploaded(
  service: Pick<Service, 'baseUrl' | 'key'>,
  name: string,
  file: Buffer,
): Promise<ExtensionJson> {
  const { status, body } = await upload(service, name, file)
  if (status === 200) return body.data
  throw new Error(`${status} ${body.error.message}`)
}
