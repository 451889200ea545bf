/**
 * The prompt of each step. Tests that read prompts rely on the headings, their order and the marks.
 * Pure: the nonce of the marks is a parameter.
 */
import { cleanText, truncateText } from '../../../runtime/lib/text/clean.ts'
import type { KnownSiteLogin } from '../../../proto/session/site-login.ts'
import type { ModelRequest, ModelPicture } from '../models/model.ts'
import type { PromptBrief, RemainingBudget, Observation } from './decision.ts'
import { historyText } from './history.ts'
import { markPageText } from './page-marks.ts'
import { simplifySchema } from './simple-schema.ts'
import { systemText } from './system-text.ts'
import { toolsFor } from './tools.ts'
import { taskRunLimits } from '../limits.ts'

/** Properties of a request besides its text. */
export interface PromptQuestion {
  /** Name of the marks around page text; random, so that no page knows it. */
  readonly nonce: string
  /** Equal for repetitions of the same request. */
  readonly question: string
  readonly picture?: ModelPicture | undefined
}

export function promptOf(
  brief: PromptBrief,
  { nonce, question, picture }: PromptQuestion,
): ModelRequest {
  const notices = promptSection('Notices', noticesOf(brief).join('\n'))
  const page = promptSection('Page', markPageText(pagePromptText(brief.observation), nonce))
  return {
    system: systemText(brief.mayAsk),
    user: userParts([...goalSections(brief, nonce), notices, page], picture),
    tools: toolsFor(brief),
    outputTokensMax: taskRunLimits.answerTokens,
    question,
    news: joinSections([newsOf(brief, nonce), notices]),
    page,
  }
}

/** Unpaired surrogates, which encoders reject; a person's text may contain one too. */
const loneSurrogate = /\p{Surrogate}/gu

export const userParts = (
  texts: readonly string[],
  picture?: ModelPicture,
): ModelRequest['user'] => [
  { type: 'text', text: joinSections(texts).replace(loneSurrogate, '\uFFFD') },
  ...(picture === undefined ? [] : [{ type: 'picture' as const, picture }]),
]

const joinSections = (texts: readonly string[]) => texts.filter(Boolean).join('\n\n')

/** The sections that do not depend on the current page. */
export const goalSections = (brief: PromptBrief, nonce: string): readonly string[] => [
  promptSection('Goal', brief.goal),
  promptSection('Rules of this task', rulesOf(brief).join('\n')),
  promptSection('So far', historySection(brief, nonce)),
]

function newsOf({ history }: PromptBrief, nonce: string): string {
  const acts = history.steps.at(-1)?.acts ?? []
  return acts.length === 0 ? '' : markPageText(acts.join('\n'), nonce)
}

export const promptSection = (heading: string, body: string): string =>
  body === '' ? '' : `# ${heading}\n${body}`

function rulesOf(brief: PromptBrief): string[] {
  const { today, extra, startUrl, secretNames, logins, allowedDomains, outputSchema } = brief
  const schema = outputSchema && simplifySchema(outputSchema).lossy && JSON.stringify(outputSchema)
  return [
    `- Today is ${today}.`,
    ...(startUrl ? [`- The task begins at ${startUrl}, which is not opened for you.`] : []),
    ...(allowedDomains ? [`- Only these sites can be reached: ${allowedDomains.join(', ')}.`] : []),
    ...(secretNames.length > 0
      ? [`- Secrets: ${secretNames.map((name) => `<secret>${name}</secret>`).join(', ')}.`]
      : []),
    ...(logins ? [`- Logins for fill_login: ${logins.map(loginText).join(', ')}.`] : []),
    ...(schema ? [`- The result has to fit this JSON Schema: ${schema}`] : []),
    ...(extra ? [extra] : []),
  ]
}

const loginText = ({ name, origin, subdomains }: KnownSiteLogin) =>
  `${name} (${origin}${subdomains ? ' and below' : ''})`

function historySection({ history }: PromptBrief, nonce: string): string {
  const text = historyText(history)
  return text === '' ? 'Nothing yet.' : markPageText(text, nonce)
}

const warnAtShare = 0.75

function noticesOf({ notices, budgets, isLast }: PromptBrief): string[] {
  const last = 'This is the last step: call done with what you have, honestly.'
  return [
    ...notices
      .slice(-taskRunLimits.taskNotices)
      .map((notice) => truncateText(notice, taskRunLimits.noticeChars)),
    ...(isLast ? [last] : budgets.filter(isShort).map(budgetText)),
  ].map((notice) => `- ${notice.replaceAll('\n', '\n  ')}`)
}

const isShort = ({ left, whole }: RemainingBudget) => left <= whole * (1 - warnAtShare)

const budgetText = ({ of, left, whole }: RemainingBudget) =>
  `${round(left)} of ${round(whole)} ${of} are left: come to an end in time, done with what you have.`

const round = (amount: number) => Math.max(0, Math.round(amount * 100) / 100)

/** Titles and URLs are written by the page too, so all of it is between the marks. */
export function pagePromptText({ url, title, tabs, text }: Observation): string {
  const open = tabs.slice(0, taskRunLimits.taskTabs)
  return [
    `url: ${addressText(url)}`,
    `title: ${truncateText(cleanText(title), taskRunLimits.taskTitleChars)}`,
    'tabs:',
    ...open.map((tab) => {
      const name = truncateText(cleanText(tab.title), taskRunLimits.taskTitleChars).replaceAll(
        '"',
        "'",
      )
      return `- ${tab.selected ? '*' : ''}${tab.id} ${addressText(tab.url)} "${name}"`
    }),
    ...(tabs.length > open.length ? [`and ${tabs.length - open.length} more`] : []),
    '',
    text.slice(0, taskRunLimits.taskPageChars),
  ].join('\n')
}

const addressText = (url: string) => truncateText(cleanText(url), taskRunLimits.taskUrlChars)
