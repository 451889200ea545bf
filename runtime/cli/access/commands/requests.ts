import { defined } from '../../../../proto/defined.ts'
import { areaKeys, isPermittedArea } from '../../../../proto/access/areas/areas.ts'
import { isAccessId } from '../../../../proto/access/ids.ts'
import { CommandFailed, UsageError, type CliCommand, type CliInput } from '../../command.ts'
import { baseVariable } from '../../service-base.ts'
import { parseTimeInput } from '../../terminal/parse-time.ts'
import { requestAnswer } from '../service/answers.ts'
import { getNeed, getRequest } from '../service/entities.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'
import { requestText } from '../service/texts.ts'

const answer = dataOf(requestAnswer)
const path = '/v1/access-requests'

export const requestCommand: CliCommand = {
  usage: 'access request --need ID --scope ID --for WHOM …',
  about:
    'Draft a request for access, and show it. `npm run troupe -- access submit` sends it to review.',
  options: {
    need: { value: 'ID', required: true, help: 'The operational need: nd_….' },
    scope: { value: 'ID', required: true, help: 'The service scope that contracts it: scp_….' },
    for: {
      value: 'WHOM',
      required: true,
      help: 'A person (usr_…), or the name of an integration.',
    },
    access: { value: 'LIST', required: true, help: 'Such as contacts:read,contacts:write.' },
    until: { value: 'WHEN', required: true, help: 'After 12h or 30d, or at a date.' },
    why: { value: 'TEXT', required: true, help: 'What it is for, for those who decide.' },
    path: { value: 'PATH', help: 'portal, reports, webhooks, custom or api (default).' },
    networks: { value: 'LIST', help: 'Only from these networks: 192.0.2.0/24,2001:db8::/32.' },
    emergency: { help: 'One reviewer, 4 hours at most, reviewed afterwards.' },
    submit: { help: 'Submit it at once.' },
  },
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: [
    'troupe access request --need nd_… --scope scp_… --for newsletter --access contacts:read ' +
      '--until 30d --why "The newsletter tool reads contacts once an hour." --submit',
  ],
  async run(input) {
    const body = requestFromInput(input, Date.now())
    const service = ServiceSession.open()
    // Staff have to name the client; a member's is known.
    const { client_id } = await getNeed(service, body.need_id)
    const order = { method: 'POST', path, body: { client_id, ...body }, answer } as const
    const made = await service.call(order)
    const { switches } = input
    console.log(requestText(switches.has('submit') ? await submitRequest(service, made) : made))
    return 0
  },
}

/** The body of POST /v1/access-requests without its subject. */
function requestFromInput({ values, switches }: CliInput, nowMs: number) {
  const { need = '', scope = '', for: whom = '', access = '', until = '', why = '' } = values
  const { path: by, networks } = values
  const isPerson = isAccessId('person', whom)
  return {
    need_id: need,
    scope_id: scope,
    subject: { kind: isPerson ? 'person' : 'integration', id: whom },
    permissions: readPermissions(access),
    ends_at: new Date(parseTimeInput('until', until, nowMs)).toISOString(),
    justification: why,
    ...defined({ path: by }),
    ...(networks !== undefined && { cidrs: networks.split(',') }),
    ...(switches.has('emergency') && { emergency: true }),
  }
}

/** `contacts:read,contacts:write,tasks:read` → one permission per area. */
export function readPermissions(text: string): { area: string; actions: string[] }[] {
  const byArea = new Map<string, string[]>()
  for (const name of readScopes('access', text)) {
    const [area = '', action = ''] = name.split(':')
    byArea.set(area, [...(byArea.get(area) ?? []), action])
  }
  return [...byArea].map(([area, actions]) => ({ area, actions }))
}

/** Whether an area has the action is checked by the service. */
export function readScopes(option: string, text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  for (const name of names) {
    const [area = '', action = '', ...rest] = name.split(':')
    if (rest.length > 0 || action === '') {
      throw new UsageError(`--${option} takes area:action, comma-separated, not "${name}"`)
    }
    if (!isPermittedArea(area)) {
      throw new UsageError(`there is no area "${area}"; there are ${areaKeys.join(', ')}`)
    }
  }
  return names
}

export const submitCommand: CliCommand = {
  usage: 'access submit ID',
  about: 'Submit a drafted request: its need and scope are checked, and it is reviewed.',
  arguments: [1, 1],
  settings: ['DATA_DIR'],
  variables: baseVariable,
  async run({ args: [id = ''] }) {
    if (!isAccessId('request', id)) throw new UsageError('submit takes an access request: acr_…')
    const service = ServiceSession.open()
    console.log(requestText(await submitRequest(service, await getRequest(service, id))))
    return 0
  },
}

interface Draft {
  readonly id: string
  readonly version: number
}

/** Returns the submitted request; throws if it was returned. */
async function submitRequest(service: ServiceSession, { id, version }: Draft) {
  const order = { method: 'POST', path: `${path}/${id}/submit`, version, answer } as const
  const request = await service.call(order)
  if (request.status !== 'returned') return request
  throw new CommandFailed(`${id} was returned: ${request.message ?? 'no reason was given'}`)
}
