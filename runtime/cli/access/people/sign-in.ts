import { emailText } from '../../../../proto/access/common.ts'
import { loadConfig } from '../../../config/config.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { CommandFailed, UsageError, type CliCommand } from '../../command.ts'
import { alignColumns } from '../../help.ts'
import { secretReader } from '../../terminal/secret-input.ts'
import { baseVariable, serviceBase } from '../../service-base.ts'
import { personAnswer, signedInAnswer } from '../service/answers.ts'
import { callService, dataOf, noContent, RequestRefused } from '../service/service.ts'
import {
  deleteSessionFile,
  writeSessionFile,
  readSessionFile,
  sessionPath,
} from './session-file.ts'
import { ServiceSession } from './service-session.ts'
import { minuteText } from '../service/texts.ts'

const answer = dataOf(signedInAnswer)
type Ask = ReturnType<typeof secretReader>

export const signInCommand: CliCommand = {
  usage: 'access sign-in EMAIL [--invitation TEXT | --reset TEXT]',
  about: 'Sign in as a person. The command prompts for the password, or reads it from a pipe.',
  more:
    'The sign-in is stored in DATA_DIR/access-session.json, which only you can read, for twelve ' +
    'hours or until `npm run troupe -- access sign-out`. From a pipe, the first line is the password and the ' +
    'second one the code of the authenticator app.',
  arguments: [1, 1],
  options: {
    invitation: { value: 'TEXT', help: 'Accept this invitation, and set a password.' },
    reset: { value: 'TEXT', help: 'Set a new password with this reset.' },
  },
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: [
    'troupe access sign-in ada@example.com --invitation spai_…',
    'troupe access sign-in ada@example.com',
  ],
  async run({ args: [text = ''], values: { invitation, reset } }) {
    const email = emailText.safeParse(text)
    if (!email.success) throw new UsageError(`"${text}" is not an e-mail address`)
    const base = serviceBase()
    const ask = secretReader()
    const { token, expires_at, person } =
      reset !== undefined
        ? await begin(base, '/v1/sign-in/resets', { reset }, ask)
        : invitation !== undefined
          ? await begin(base, '/v1/sign-in/invitations', { invitation }, ask)
          : await enter(base, email.data, ask)
    const { DATA_DIR } = loadConfig()
    writeSessionFile(DATA_DIR, { url: base, token, email: person.email, expires_at })
    if (person.email !== email.data)
      console.error(`note: that invitation or reset is for ${person.email}`)
    console.error(`signed in as ${person.email} until ${minuteText(expires_at)}`)
    return 0
  },
}

/**
 * A wrong password and a missing code give the same error, so the code is requested after a
 * refusal.
 */
async function enter(base: string, email: string, ask: Ask) {
  const path = '/v1/sign-in'
  const password = await requireAnswer(ask, `Password of ${email}: `)
  try {
    return await callService(base, undefined, {
      method: 'POST',
      path,
      body: { email, password },
      answer,
    })
  } catch (error) {
    if (!(error instanceof RequestRefused) || error.type !== 'unauthorized') throw error
    const code = await ask('Code of the authenticator app, if you have one: ')
    if (code === '') throw error
    const body = { email, password, code }
    return callService(base, undefined, { method: 'POST', path, body, answer })
  }
}

async function begin(base: string, path: string, secret: object, ask: Ask) {
  const password = await requireAnswer(ask, 'New password: ')
  if (process.stdin.isTTY && (await ask('Once more: ')) !== password) {
    throw new CommandFailed('the passwords differ')
  }
  const body = { ...secret, password }
  return callService(base, undefined, { method: 'POST', path, body, answer })
}

async function requireAnswer(ask: Ask, prompt: string): Promise<string> {
  const password = await ask(prompt)
  if (password === '') throw new CommandFailed('a password is required: enter it, or pipe it')
  return password
}

export const signOutCommand: CliCommand = {
  usage: 'access sign-out [--everywhere]',
  about: 'Sign out, here or everywhere.',
  options: { everywhere: { help: 'End your other sign-ins too.' } },
  settings: ['DATA_DIR'],
  async run({ switches }) {
    const { DATA_DIR } = loadConfig()
    const session = readSessionFile(DATA_DIR)
    if (!session) throw new CommandFailed('you are not signed in')
    const query = switches.has('everywhere') ? '?everywhere=true' : ''
    try {
      const order = { method: 'DELETE', path: `/v1/sign-in${query}`, answer: noContent } as const
      await callService(session.url, session.token, order)
    } catch (error) {
      // A session that has ended already need not be ended.
      if (!(error instanceof RequestRefused) || error.status !== 401) throw error
    }
    deleteSessionFile(DATA_DIR)
    console.error(`signed out: ${sessionPath(DATA_DIR)} was deleted`)
    return 0
  },
}

export const whoamiCommand: CliCommand = {
  usage: 'access whoami',
  about: 'Show who is signed in, and where.',
  settings: ['DATA_DIR'],
  variables: baseVariable,
  async run() {
    const service = ServiceSession.open()
    const path = '/v1/me'
    const me = await service.call({ method: 'GET', path, answer: dataOf(personAnswer) })
    const rows = [
      ['Person', cleanText(`${me.name} <${me.email}> (${me.id})`)],
      ['Roles', me.roles.join(', ')],
      ['Client', me.client_id ?? 'none: staff'],
      ['Service', service.url],
      ['Until', minuteText(service.expiresAt)],
    ]
    console.log(alignColumns(rows, ''))
    return 0
  },
}
