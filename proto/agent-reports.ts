/**
 * What a node agent says of its browsers to whichever actor host hears it. It is all that an agent
 * can say to actors: a report names a browser, and moves no session but the one that has it.
 */
import { z } from 'zod'
import { limits } from './limits.ts'

const browserId = z.custom<`brw_${string}`>((id) => typeof id === 'string' && id.startsWith('brw_'))

export const agentReport = z.discriminatedUnion('type', [
  /** Is the browser that the agent holds still wanted? */
  z.strictObject({ type: z.literal('browser.report'), browserId }),
  /** It ended without the agent's asking. */
  z.strictObject({
    type: z.literal('browser.gone'),
    browserId,
    cause: z.enum(['closed', 'crashed', 'out_of_resources']),
    /** One sentence for the session's owner. */
    detail: z.string(),
  }),
  /** Its host is going: answered when the session has ended, or has no such browser. */
  z.strictObject({ type: z.literal('browser.draining'), browserId }),
  /** What it wanted to reach and its network policy refused, since the report before. */
  z.strictObject({
    type: z.literal('network.refused'),
    browserId,
    hosts: z
      .array(z.strictObject({ host: z.string().max(300), count: z.number().int().min(1) }))
      .max(limits.refusedHosts)
      .readonly(),
  }),
  /** Has the store anything of the session? For what cannot be undone. */
  z.strictObject({ type: z.literal('session.recorded') }),
])

export type AgentReport = z.infer<typeof agentReport>

export interface ReportAnswers {
  readonly 'browser.report': { readonly keep: boolean }
  readonly 'browser.gone': null
  readonly 'browser.draining': null
  readonly 'network.refused': null
  readonly 'session.recorded': boolean
}

/** What travels on `subjects.agentReports`; the answer is a `Reply`. */
export const reportRequest = z.strictObject({ sessionId: z.string(), report: agentReport })
export type ReportRequest = z.infer<typeof reportRequest>
