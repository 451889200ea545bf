import { isAccessId } from '../../../../proto/access/ids.ts'
import { UsageError, type CliCommand } from '../../command.ts'
import { baseVariable } from '../../service-base.ts'
import { parseTimeInput } from '../../terminal/parse-time.ts'
import { grantAnswer, needAnswer, tokenAnswer, clientAnswer } from '../service/answers.ts'
import { entityKindOf } from '../service/entities.ts'
import { readScopes } from './requests.ts'
import { dataOf, noContent } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'
import { minuteText } from '../service/texts.ts'
import { z } from 'zod'

const common = { settings: ['DATA_DIR'], variables: baseVariable } as const
const reason = {
  value: 'TEXT',
  required: true,
  help: 'Why, for later readers of the audit.',
} as const

const secretAnswer = dataOf(tokenAnswer.extend({ secret: z.string() }))

export const tokenCommand: CliCommand = {
  ...common,
  usage: 'access token GRANT --name N [--scopes LIST] [--expires WHEN]',
  about: 'Create a token of a grant and show it once, on stdout.',
  arguments: [1, 1],
  options: {
    name: { value: 'N', required: true, help: 'What it is for.' },
    scopes: { value: 'LIST', help: 'A part of the grant’s scopes: contacts:read,tasks:read.' },
    expires: { value: 'WHEN', help: 'In 12h or 30d, or a date; at most 90d.' },
  },
  examples: ['troupe access token gr_… --name newsletter --expires 30d > token.txt'],
  async run({ args: [id = ''], values: { name = '', scopes, expires } }) {
    if (!isAccessId('grant', id)) throw new UsageError('a token is created from a grant: gr_…')
    const expiresAtMs =
      expires === undefined ? undefined : parseTimeInput('expires', expires, Date.now())
    const made = await ServiceSession.open().call({
      method: 'POST',
      path: `/v1/grants/${id}/tokens`,
      body: {
        name,
        ...(scopes !== undefined && { scopes: readScopes('scopes', scopes) }),
        ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs).toISOString() }),
      },
      answer: secretAnswer,
    })
    const until = minuteText(made.expires_at)
    console.error(`token ${made.id} (${made.scopes.join(' ')}) until ${until}; not shown again:`)
    console.log(made.secret)
    return 0
  },
}

export const revokeCommand: CliCommand = {
  ...common,
  usage: 'access revoke ID [--reason TEXT]',
  about: 'Revoke a grant (with a reason) and every token of it, or one token.',
  arguments: [1, 1],
  options: { reason: { ...reason, required: false } },
  examples: [
    'troupe access revoke gr_… --reason "the newsletter tool was switched off"',
    'troupe access revoke tok_…',
  ],
  async run({ args: [id = ''], values }) {
    const kind = entityKindOf(id)
    if (kind === 'token') {
      const order = { method: 'DELETE', path: `/v1/tokens/${id}`, answer: noContent } as const
      await ServiceSession.open().call(order)
      console.log(`${id} is revoked`)
      return 0
    }
    if (kind !== 'grant') throw new UsageError('revoke takes a grant (gr_…) or a token (tok_…)')
    if (values['reason'] === undefined) throw new UsageError('--reason TEXT is required')
    return act(id, 'revoke', values['reason'])
  },
}

/** Verbs that grants, needs and clients share. */
const verbsOf = {
  grant: { path: '/v1/grants', answer: grantAnswer },
  client: { path: '/v1/clients', answer: clientAnswer },
  need: { path: '/v1/needs', answer: needAnswer },
} as const

/**
 * Applied to the current version: the verb is valid even if other fields have changed meanwhile.
 */
async function act(id: string, verb: string, why: string): Promise<number> {
  const kind = entityKindOf(id)
  if (kind !== 'grant' && kind !== 'client' && kind !== 'need') {
    throw new UsageError(`${verb} does not apply to ${id}`)
  }
  const { path, answer } = verbsOf[kind]
  const state: z.ZodType<{ status: string; version: number }> = answer
  const service = ServiceSession.open()
  const one = `${path}/${id}`
  const { version } = await service.call({ method: 'GET', path: one, answer: dataOf(state) })
  const order = { method: 'POST', path: `${one}/${verb}`, version, body: { reason: why } } as const
  const { status } = await service.call({ ...order, answer: dataOf(state) })
  console.log(`${id} is ${status}`)
  return 0
}

const commandWithReason = (
  usage: string,
  about: string,
  verb: string,
  kinds: readonly string[],
): CliCommand => ({
  ...common,
  usage: `access ${usage} --reason TEXT`,
  about,
  arguments: [1, 1],
  options: { reason },
  async run({ args: [id = ''], values }) {
    if (!kinds.includes(entityKindOf(id))) {
      throw new UsageError(`this takes the id of a ${kinds.join(' or a ')}`)
    }
    return act(id, verb, values['reason'] ?? '')
  },
})

export const suspendCommand = commandWithReason(
  'suspend ID',
  'Suspend a grant or a client: refused from the next request on.',
  'suspend',
  ['grant', 'client'],
)
export const resumeCommand = commandWithReason(
  'resume ID',
  'Resume a suspended grant (as a reviewer who is not a party) or client.',
  'resume',
  ['grant', 'client'],
)
export const closeNeedCommand = commandWithReason(
  'close-need ID',
  'Close a need: every grant that cites it ends.',
  'close',
  ['need'],
)
