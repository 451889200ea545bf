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

const heading = ({ url, title }: { url: string; title: string }) =>
  `${title || 'Untitled'} (${url})`

/** What an act did to the page, without the page's title and URL. */
export function effectText(output: z.infer<typeof actionOutput>): string {
  const { changes, matches, opened, dialog, note } = output
  const { value, logs } = output as Partial<z.infer<typeof scriptOutput>>
  const { login, filled } = output as Partial<z.infer<typeof filledOutput>>
  return [
    ...(filled === undefined ? [] : [`Filled in from ${login}: ${filled.join(', ')}.`]),
    ...(matches === undefined
      ? []
      : [`The target matched ${matches} elements, the first was meant.`]),
    ...(note === undefined ? [] : [`But: ${note}`]),
    ...(opened === undefined ? [] : [`Tab ${opened} opened and is selected now.`]),
    changes === '' ? 'Nothing has changed on the page.' : changes,
    ...(value === undefined ? [] : [`Value: ${JSON.stringify(value)}`]),
    ...(logs === undefined || logs.length === 0 ? [] : ['Logs:', ...logs]),
    ...(dialog === undefined ? [] : [`A dialog is open, answer it with handle_dialog: ${dialog}`]),
  ].join('\n')
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
