/** The prompts of an agent: everything at first, then only the news. */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { AgentCallOutcome } from '../../../../proto/task/agent-calls.ts'
import type { ModelRequest } from '../../models/model.ts'
import { serverName } from './permission.ts'
import { snapshotTool } from './tools.ts'

const preamble = `You do a task in a web browser, with the tools of the MCP server ${serverName} and nothing else: no shell, no files, no other servers; asked for, they are refused. Every answer of a tool says what came of it; ${snapshotTool.name} shows the page as it was after that. The task is over when you have called done, and not before.`

export function fullPromptBlocks(
  { system, user }: ModelRequest,
  takesPictures: boolean,
): ContentBlock[] {
  const texts = user.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const pictures = takesPictures ? picturesIn({ user }) : []
  return [
    { type: 'text', text: [preamble, system, ...texts].join('\n\n') },
    ...pictures.map(({ mimeType, base64 }) => ({ type: 'image' as const, mimeType, data: base64 })),
  ]
}

export function followUpBlocks({ news }: ModelRequest): ContentBlock[] {
  return [{ type: 'text', text: news || goOn }]
}

export function callOutcomeOf({ news, user }: ModelRequest): AgentCallOutcome {
  const [picture] = picturesIn({ user })
  return { text: news || goOn, isError: false, ...(picture && { picture }) }
}

const goOn = 'Go on.'

function picturesIn({ user }: Pick<ModelRequest, 'user'>) {
  return user.flatMap((part) => (part.type === 'picture' ? [part.picture] : []))
}
