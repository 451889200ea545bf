/** Outputs as text for a model: the page first, without JSON around it. */
import type { z } from 'zod'
import type { actionOutput, filledOutput, pageTextOutput, scriptOutput } from './output.ts'

type Output = Readonly<Record<string, unknown>>

export function outputText(output: Output): string {
  if ('changes' in output) {
    const acted = output as z.infer<typeof actionOutput>
    return `Done. On ${heading(acted)}\n${effectText(acted)}`
  }
  if ('text' in output && 'url' in output) return readText(output as z.infer<typeof pageTextOutput>)
  const fields = Object.entries(output)
  return fields.length === 0 ? 'Done.' : fields.map(line).join('\n')
}

/** Lines of an answer: those that a page may have chosen, and the service's own before and after them. */
export interface AnswerParts {
  readonly before: readonly string[]
  readonly page: string
  readonly after: readonly string[]
}

/** The same text, apart by who has written it. */
export function pagePartsOf(output: Output): AnswerParts {
  if (Object.keys(output).length === 0) return { before: ['Done.'], page: '', after: [] }
  if (!('changes' in output)) return { before: [], page: outputText(output), after: [] }
  const acted = output as z.infer<typeof actionOutput>
  const { own, quiet, page, dialog } = effectOf(acted)
  return {
    before: ['Done.', ...own, ...quiet],
    page: [heading(acted), ...page, ...dialog.map((text) => `dialog: ${text}`)].join('\n'),
    after: dialog.map(() => 'A dialog is open, answer it with handle_dialog.'),
  }
}

const heading = ({ url, title }: { url: string; title: string }) =>
  `${title || 'Untitled'} (${url})`

/** What an act did to the page, without the page's title and URL. */
export function effectText(output: z.infer<typeof actionOutput>): string {
  const { own, quiet, page, dialog } = effectOf(output)
  const asked = dialog.map((text) => `A dialog is open, answer it with handle_dialog: ${text}`)
  return [...own, ...quiet, ...page, ...asked].join('\n')
}

function effectOf(output: z.infer<typeof actionOutput>) {
  const { changes, matches, opened, dialog, note } = output
  const { value, logs } = output as Partial<z.infer<typeof scriptOutput>>
  const { login, filled } = output as Partial<z.infer<typeof filledOutput>>
  return {
    own: [
      ...(filled === undefined ? [] : [`Filled in from ${login}: ${filled.join(', ')}.`]),
      ...(matches === undefined
        ? []
        : [`The target matched ${matches} elements, the first was meant.`]),
      ...(opened === undefined ? [] : [`Tab ${opened} opened and is selected now.`]),
    ],
    quiet: changes === '' ? ['Nothing has changed on the page.'] : [],
    // A note quotes names that the page has chosen.
    page: [
      ...(note === undefined ? [] : [`But: ${note}`]),
      ...(changes === '' ? [] : [changes]),
      ...(value === undefined ? [] : [`Value: ${JSON.stringify(value)}`]),
      ...(logs === undefined || logs.length === 0 ? [] : ['Logs:', ...logs]),
    ],
    dialog: dialog === undefined ? [] : [dialog],
  }
}

/** The text itself says if more follows. */
const readText = (output: z.infer<typeof pageTextOutput>) => `${heading(output)}\n${output.text}`

function line([name, value]: readonly [string, unknown]): string {
  if (!Array.isArray(value)) return `${name}: ${plain(value)}`
  return [`${name}:`, ...value.map((item) => `- ${plain(item)}`)].join('\n')
}

/** `id: a, url: b, selected` */
function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, each]) => each !== false)
    .map(([name, each]) => (each === true ? name : `${name}: ${plain(each)}`))
    .join(', ')
}
