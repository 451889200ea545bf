import { z } from 'zod'
import { isAccessId } from '../../../../proto/access/ids.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { UsageError, type CliCommand } from '../../command.ts'
import { alignColumns } from '../../help.ts'
import { baseVariable } from '../../service-base.ts'
import { readScopes } from './requests.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'

const checkAnswer = z.looseObject({
  allowed: z.boolean(),
  because: z.string(),
  through: z.array(
    z.looseObject({
      grant_id: z.string(),
      path: z.string(),
      allowed: z.boolean(),
      because: z.string(),
    }),
  ),
})

export const checkCommand: CliCommand = {
  usage: 'access check SUBJECT AREA:ACTION [--client ID] [--json]',
  about: 'Show whether a person or a token has this access now, and why.',
  more:
    'Exits with 0 if it is allowed, with 1 if not. The service decides as for a real request, ' +
    'but none is made. For admins, reviewers, auditors and owners of the client.',
  arguments: [2, 2],
  options: {
    client: { value: 'ID', help: 'Only access to this client.' },
    json: { help: 'Print the service’s answer as JSON.' },
  },
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: ['troupe access check usr_… contacts:read', 'troupe access check tok_… tasks:write'],
  async run({ args: [subject = '', text = ''], values: { client }, switches }) {
    if (!isAccessId('person', subject) && !isAccessId('token', subject)) {
      throw new UsageError('check takes a person (usr_…) or a token (tok_…)')
    }
    const [name = '', ...more] = readScopes('access', text)
    if (more.length > 0) throw new UsageError('check takes one area:action')
    const [area = '', action = ''] = name.split(':')
    const query = new URLSearchParams({
      subject,
      area,
      action,
      ...(client && { client_id: client }),
    })
    const order = { method: 'GET', path: `/v1/access/check?${query}` } as const
    const found = await ServiceSession.open().call({ ...order, answer: dataOf(checkAnswer) })
    if (switches.has('json')) console.log(JSON.stringify(found, undefined, 2))
    else console.log(textOf(name, found))
    return found.allowed ? 0 : 1
  },
}

function textOf(name: string, { allowed, because, through }: z.output<typeof checkAnswer>): string {
  const rows = through.map((one) =>
    [one.allowed ? 'yes' : 'no', one.grant_id, one.path, one.because].map(cleanText),
  )
  const first = `${allowed ? 'Yes' : 'No'}, ${name}: ${cleanText(because)}`
  return rows.length === 0 ? first : [first, alignColumns(rows)].join('\n')
}
