/** What a session does not load. */
import { z } from 'zod'
import { defined } from '../../defined.ts'
import { hostSchema } from '../domain.ts'
import { sessionLimits } from '../limits.ts'

const patternSchema = z
  .string()
  .min(1)
  .max(sessionLimits.urlPatternChars)
  .regex(/^(?!\|\|\*)[\x21-\x7e]+$/, 'must be a pattern such as ||ads.example^ or */banner/*')

export const blockSchema = z.strictObject({
  ads: z.boolean().optional().describe('Hosts that serve advertisements, from a list of ours.'),
  trackers: z.boolean().optional().describe('Hosts that follow people, from a list of ours.'),
  images: z.boolean().optional(),
  media: z.boolean().optional().describe('Video and audio.'),
  fonts: z.boolean().optional(),
  hosts: z
    .array(hostSchema('ads.example').transform((host) => host.toLowerCase()))
    .max(sessionLimits.blockedHosts)
    .optional()
    .describe('With their subdomains.'),
  urls: z
    .array(patternSchema)
    .max(sessionLimits.blockedUrls)
    .optional()
    .describe(
      'Parts of URLs; `*` is any text, `|` the begin or end, `||` the begin of a host, `^` a ' +
        'separator.',
    ),
})

/** Only what is blocked. */
export interface Blocking {
  readonly ads?: true
  readonly trackers?: true
  readonly images?: true
  readonly media?: true
  readonly fonts?: true
  readonly hosts?: readonly string[]
  readonly urls?: readonly string[]
}

/** Undefined if nothing is. */
export function blockingOf(body: z.output<typeof blockSchema>): Blocking | undefined {
  const { hosts = [], urls = [], ...kinds } = body
  const chosen = Object.entries(kinds).filter(([, is]) => is)
  const blocking: Blocking = {
    ...Object.fromEntries(chosen),
    ...defined({
      hosts: hosts.length > 0 ? hosts : undefined,
      urls: urls.length > 0 ? urls : undefined,
    }),
  }
  return Object.keys(blocking).length === 0 ? undefined : blocking
}
