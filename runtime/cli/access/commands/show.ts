import { CommandFailed, type CliCommand } from '../../command.ts'
import { baseVariable, serviceBase } from '../../service-base.ts'
import { accessAnswer } from '../service/answers.ts'
import { readerOf } from '../service/entities.ts'
import { callService, dataOf } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'
import { accessText } from '../service/texts.ts'

export const showCommand: CliCommand = {
  usage: 'access show ID',
  about: 'Show a client, service scope, need, access request, grant, change or person, by its id.',
  arguments: [1, 1],
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: ['troupe access show acr_…'],
  async run({ args: [id = ''] }) {
    const read = readerOf(id)
    console.log(await read(ServiceSession.open()))
    return 0
  },
}

export const whyCommand: CliCommand = {
  usage: 'access why',
  about: 'Show what the token in TROUPE_TOKEN may do, until when, and why.',
  settings: ['PORT'],
  variables: { ...baseVariable, TROUPE_TOKEN: 'The token’s text.' },
  examples: ['TROUPE_TOKEN=spat_… troupe access why'],
  async run() {
    const token = process.env['TROUPE_TOKEN']
    if (!token) throw new CommandFailed('set TROUPE_TOKEN to the token')
    const order = { method: 'GET', path: '/v1/access', answer: dataOf(accessAnswer) } as const
    console.log(accessText(await callService(serviceBase(), token, order)))
    return 0
  },
}
