/** What pages may do that a person would be asked for. */
import { ServiceError } from '../../../proto/errors.ts'
import type { CommandContext } from '../command-context.ts'
import type { HandlersOf } from './handler.ts'

export const permittingHandlers: HandlersOf<'handle_permission'> = {
  async handle_permission(context, { permission, accept, origin: given }) {
    const origin = given ?? (await originOfPage(context))
    const setting = accept ? 'granted' : 'denied'
    await context.permissions.set({ name: permission, origin, setting })
    const note = 'The page has to ask again: repeat what made it ask, or reload it.'
    return { permission, origin, setting, note }
  },
}

async function originOfPage({ page }: CommandContext): Promise<string> {
  const { url } = (await page.listTabs()).find(({ selected }) => selected) ?? {}
  const origin = url !== undefined && URL.canParse(url) ? new URL(url).origin : 'null'
  if (/^https?:/.test(origin)) return origin
  throw new ServiceError(
    'bad_request',
    'origin must be given, or a page of the web be in the selected tab: only such pages have permissions.',
  )
}
