/** Logs in to the member site in a session with a profile, and tells who is logged in. */
import type { Page } from 'playwright-core'
import type { Teardown } from '../nats/nats.ts'
import { connectPlaywright } from '../browser/browsers.ts'
import { until } from '../lib/until.ts'
import { createSession, type Rest, type SessionJson } from '../service/service.ts'
import type { MemberSite } from './member-site.ts'

interface ProfileOption {
  readonly name: string
  readonly persist?: boolean
  readonly wait?: number
}

export interface ProfileJson {
  readonly name: string
  readonly status: string
  readonly version: number
  readonly in_use_by?: string
  readonly size_bytes: number
  readonly versions: readonly { readonly version: number; readonly session_id: string }[]
}

/** A session with a profile, headless if it is `active`; `page` is its first one. */
export async function profileSession(
  t: Teardown,
  rest: Rest,
  profile: ProfileOption,
  active = true,
) {
  const browser = { headless: { active }, profile }
  const made: SessionJson = await createSession(rest, { browser })
  const client = await connectPlaywright(made.cdp_url)
  t.teardown(() => client.close())
  const context = client.contexts()[0]!
  return { ...made, client, context, page: context.pages()[0]! }
}

export async function logIn(
  page: Page,
  { origin }: Pick<MemberSite, 'origin'>,
  name: string,
): Promise<void> {
  await page.goto(`${origin}/?login=${name}`)
  await titled(page, `Welcome ${name}`)
}

/** Whoever the site knows: a name, or nobody. */
export async function memberIn(page: Page, site: MemberSite): Promise<string> {
  await page.goto(site.origin)
  const title = await until('the page knows who it is for', async () => {
    const found = await page.title()
    return found !== '…' && found
  })
  return title === 'Log in' ? 'nobody' : title.replace('Welcome ', '')
}

export const titled = (page: Page, title: string) =>
  until(`its title is ${title}`, async () => (await page.title()) === title)

export async function profileNamed(rest: Rest, name: string): Promise<ProfileJson> {
  const path = `/v1/profiles/${encodeURIComponent(name)}`
  const { status, body } = await rest<{ data: ProfileJson }>('GET', path)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.data
}
