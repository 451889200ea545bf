/** Logs in to the member site in a session with a profile, and tells who is logged in. */
import type { Teardown } from '../nats/nats.ts'
import { connectPlaywright } from '../browser/browsers.ts'
import { until } from '../lib/until.ts'
import { createSession, type Rest, type SessionJson } from '../service/service.ts'
import type { MemberSite } from './member-site.ts'

export interface ProfileJson {
  readonly name: string
  readonly status: string
  readonly version: number
  readonly in_use_by?: string
  readonly size_bytes: number
}

/** A headless session with a profile; `page` is its first one. */
export async function profileSession(
  t: Teardown,
  rest: Rest,
  profile: { readonly name: string; readonly persist?: boolean },
) {
  const browser = { headless: { active: true }, profile }
  const made: SessionJson = await createSession(rest, { browser })
  const client = await connectPlaywright(made.cdp_url)
  t.teardown(() => client.close())
  const context = client.contexts()[0]!
  return { ...made, client, context, page: context.pages()[0]! }
}

type Opened = Awaited<ReturnType<typeof profileSession>>

export async function logIn({ page }: Opened, site: MemberSite, name: string): Promise<void> {
  await page.goto(`${site.origin}/?login=${name}`)
  await titled(page, `Welcome ${name}`)
}

/** Whoever the site knows: a name, or nobody. */
export async function memberIn({ page }: Opened, site: MemberSite): Promise<string> {
  await page.goto(site.origin)
  const title = await until('the page knows who it is for', async () => {
    const found = await page.title()
    return found !== '…' && found
  })
  return title === 'Log in' ? 'nobody' : title.replace('Welcome ', '')
}

export const titled = (page: Opened['page'], title: string) =>
  until(`its title is ${title}`, async () => (await page.title()) === title)

export async function profileNamed(rest: Rest, name: string): Promise<ProfileJson> {
  const path = `/v1/profiles/${encodeURIComponent(name)}`
  const { status, body } = await rest<{ data: ProfileJson }>('GET', path)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.data
}
