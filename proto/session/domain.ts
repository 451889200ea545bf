/** The syntax of an origin, and of a domain in domain lists; `runtime/lib/network/domains.ts` defines what one covers. */
import { z } from 'zod'
import { sessionLimits } from './limits.ts'

const plainHost = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/

export const domainSchema = z
  .string()
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i,
    'must look like example.com or *.example.com',
  )
  .max(sessionLimits.domainChars)

/** A host by its name; `example` stands in the refusal of another text. */
export const hostSchema = (example: string) =>
  z
    .string()
    .max(sessionLimits.domainChars)
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, `must be a host such as ${example}`)

/** `https://shop.example`; its host has letters, digits, dots and hyphens, or is an address. */
export const originSchema = z
  .url({ protocol: /^https?$/, error: 'must be an origin such as https://shop.example' })
  .max(sessionLimits.originChars)
  .refine((text) => URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`, {
    error: 'must be an origin, without a path',
  })
  .refine((text) => URL.canParse(text) && plainHost.test(new URL(text).hostname), {
    error: 'must have a host of letters, digits, dots and hyphens',
  })
  .transform((text) => new URL(text).origin)
