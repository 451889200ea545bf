/**
 * The prompt of each step. Tests that read prompts rely on the headings, their order and the marks.
 * Pure: the nonce of the marks is a parameter.
 */
import { limits } from '../../../proto/limits.ts'
import { clean, cut } from '../../../runtime/text/clean.ts'
import type { ModelRequest, Picture } from '../model.ts'
import type { Brief, Budget, Observation } from '../thought.ts'
import { historyText } from './history.ts'
import { marked } from './marks.ts'
import { simplified } from './simple-schema.ts'
import { systemText } from './system-text.ts'
import { toolsFor } from './tools.ts'

/** Properties of a request besides its text. */
export interface Asking {
  /** Name of the marks around page text; random, so that no page knows it. */
  readonly nonce: string
  /** Equal for repetitions of the same request. */
  readonly question: string
  readonly picture?: Picture | undefined
}

export function promptOf(brief: Brief, { nonce, question, picture }: Asking): ModelRequest {
  const notices = section('Notices', noticesOf(brief).join('\n'))
  const page = section('Page', marked(pageText(brief.observation), nonce))
  return {
    system: systemText(brief.mayAsk),
    user: userParts([...goalSections(brief, nonce), notices, page], picture),
    tools: toolsFor(brief),
    outputTokensMax: limits.answerTokens,
    question,
    news: joined([newsOf(brief, nonce), notices]),
    page,
  }
}

/** Unpaired surrogates, which encoders reject; a person's text may contain one too. */
const loneSurrogate = /\p{Surrogate}/gu

export const userParts = (texts: readonly string[], picture?: Picture): ModelRequest['user'] => [
  { type: 'text', text: joined(texts).replace(loneSurrogate, '\uFFFD') },
  ...(picture === undefined ? [] : [{ type: 'picture' as const, picture }]),
]

const joined = (texts: readonly string[]) => texts.filter(Boolean).join('\n\n')

/** The sections that do not depend on the current page. */
export const goalSections = (brief: Brief, nonce: string): readonly string[] => [
  section('Goal', brief.goal),
  section('Rules of this task', rulesOf(brief).join('\n')),
  section('So far', soFar(brief, nonce)),
]

function newsOf({ history }: Brief, nonce: string): string {
  const acts = history.steps.at(-1)?.acts ?? []
  return acts.length === 0 ? '' : marked(acts.join('\n'), nonce)
}

export const section = (heading: string, body: string): string =>
  body === '' ? '' : `# ${heading}\n${body}`

function rulesOf(brief: Brief): string[] {
  const { today, extra, startUrl, secretNames, allowedDomains, outputSchema } = brief
  const schema = outputSchema && simplified(outputSchema).lossy && JSON.stringify(outputSchema)
  return [
    `- Today is ${today}.`,
    ...(startUrl ? [`- The task begins at ${startUrl}, which is not opened for you.`] : []),
    ...(allowedDomains ? [`- Only these sites can be reached: ${allowedDomains.join(', ')}.`] : []),
    ...(secretNames.length > 0
      ? [`- Secrets: ${secretNames.map((name) => `<secret>${name}</secret>`).join(', ')}.`]
      : []),
    ...(schema ? [`- The result has to fit this JSON Schema: ${schema}`] : []),
    ...(extra ? [extra] : []),
  ]
}

function soFar({ history }: Brief, nonce: string): string {
  const text = historyText(history)
  return text === '' ? 'Nothing yet.' : marked(text, nonce)
}

const warnAtShare = 0.75

function noticesOf({ notices, budgets, isLast }: Brief): string[] {
  const last = 'This is the last step: call done with what you have, honestly.'
  return [
    ...notices.slice(-limits.taskNotices).map((notice) => cut(notice, limits.noticeChars)),
    ...(isLast ? [last] : budgets.filter(isShort).map(budgetText)),
  ].map((notice) => `- ${notice.replaceAll('\n', '\n  ')}`)
}

const isShort = ({ left, whole }: Budget) => left <= whole * (1 - warnAtShare)

const budgetText = ({ of, left, whole }: Budget) =>
  `${round(left)} of ${round(whole)} ${of} are left: come to an end in time, done with what you have.`

const round = (amount: number) => Math.max(0, Math.round(amount * 100) / 100)

/** Titles and URLs are written by the page too, so all of it is between the marks. */
export function pageText({ url, title, tabs, text }: Observation): string {
  const open = tabs.slice(0, limits.taskTabs)
  return [
    `url: ${addressText(url)}`,
    `title: ${cut(clean(title), limits.taskTitleChars)}`,
    'tabs:',
    ...open.map((tab) => {
      const name = cut(clean(tab.title), limits.taskTitleChars).replaceAll('"', "'")
      return `- ${tab.selected ? '*' : ''}${tab.id} ${addressText(tab.url)} "${name}"`
    }),
    ...(tabs.length > open.length ? [`and ${tabs.length - open.length} more`] : []),
    '',
    text.slice(0, limits.taskPageChars),
  ].join('\n')
}

const addressText = (url: string) => cut(clean(url), limits.taskUrlChars)
