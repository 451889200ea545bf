/** The gateway's static pages, read once, with `{{name}}` placeholders. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'

const read = (name: string) => readFileSync(join(packageRoot, 'gateway/web', name), 'utf8')

export const webPages = {
  live: read('live.html'),
  login: read('login.html'),
}

/** Every value is escaped as text, never inserted as markup. */
export function fillTemplate(page: string, values: Readonly<Record<string, string>>): string {
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
