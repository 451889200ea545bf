/** Converts request bodies to the settings that an endpoint's actor takes. */
import type { z } from 'zod'
import type {
  endpointPatch,
  EndpointInput,
  EndpointSettings,
  webhookBody,
  PayloadKind,
} from '../../proto/access/webhooks/endpoint.ts'
import { newAccessId } from '../../proto/access/ids.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import { newEndpointSecret } from '../../runtime/webhooks/send/signing.ts'

export function endpointPatchOf(body: z.output<typeof endpointPatch>): Partial<EndpointSettings> {
  const { rate_per_second: ratePerSecond, url, events, description, payload } = body
  return {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...(description !== undefined && { description }),
    ...(payload && { payload }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
  }
}

type Owner = Pick<EndpointInput, 'tenant' | 'grantId' | 'needId' | 'by'>

/** `text` is the secret, which is shown once. */
export function newEndpoint(
  owner: Owner,
  body: z.output<typeof webhookBody> & { readonly payload?: PayloadKind },
  { sealer, nowMs }: { readonly sealer: Pick<Sealer, 'seal'>; readonly nowMs: number },
): { readonly input: EndpointInput; readonly text: string | null } {
  const id = newAccessId('endpoint', nowMs)
  const { url, events, description, payload = 'thin', rate_per_second: ratePerSecond } = body
  const place = { id, tenant: owner.tenant }
  const { secret, text } = newEndpointSecret(place, body.signature, { sealer, nowMs })
  const settings = { url, events, description, payload, ratePerSecond }
  return { input: { ...owner, id, createdAtMs: nowMs, ...settings, secret }, text }
}
