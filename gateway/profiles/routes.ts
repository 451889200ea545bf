/** A tenant's profiles: what sessions with `browser.profile` begin with and save. */
import { z } from 'zod'
import type { ProfileRecords } from '../../runtime/profiles/profile-records.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import { profileJson, profileListJson, profileOrder, toProfileJson } from './profile-json.ts'

export interface ProfileRouteDeps {
  readonly profiles: ProfileRecords
}

const ofProfile = z.object({ name: z.string() })
const oneProfile = z.object({ data: profileJson })
const success = z.object({ data: z.object({ status: z.literal('success') }) })
const succeeded = { data: { status: 'success' as const } }
const shared = { auth: 'key', scope: 'sessions' } as const

export function profileRoutes(deps: ProfileRouteDeps): readonly Route[] {
  return [...readRoutes(deps), ...changeRoutes(deps)]
}

function readRoutes({ profiles }: ProfileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/profiles',
      summary: 'List your profiles.',
      description:
        'A profile keeps logins and other site data from one session to the next. Sorted by name, ' +
        'with size, versions, and the session that uses it.',
      response: profileListJson,
      async handler({ caller: { tenant } }) {
        const items = (await profiles.list(tenant)).map(toProfileJson)
        return { data: { count: items.length, items } }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/profiles/{name}',
      summary: 'Get a profile, with the versions that are kept.',
      description: 'The last three versions are kept; see `restore` for going back to one.',
      params: ofProfile,
      response: oneProfile,
      async handler({ caller: { tenant }, params: { name } }) {
        return { data: toProfileJson(await profiles.get(tenant, name)) }
      },
    }),
  ]
}

function changeRoutes({ profiles }: ProfileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'POST',
      path: '/v1/profiles',
      audit: 'profile.create',
      summary: 'Create an empty profile.',
      description:
        'Not needed before a session with `browser.profile.persist`, which creates a profile that ' +
        'does not exist; use it to describe one.',
      makes: true,
      body: profileOrder,
      response: success,
      async handler({ caller: { tenant }, body: { name, description } }) {
        await profiles.create(tenant, name, description)
        return succeeded
      },
    }),
    jsonRoute({
      ...shared,
      method: 'POST',
      path: '/v1/profiles/{name}/restore',
      audit: 'profile.restore',
      summary: 'Go back to an earlier version of a profile.',
      description:
        'Makes a copy of that version the newest one; the version that was newest is kept as well. ' +
        'Refused while a session will save the profile.',
      params: ofProfile,
      body: z.strictObject({ version: z.number().int().min(1) }),
      response: oneProfile,
      async handler({ caller: { tenant }, params: { name }, body: { version } }) {
        return { data: toProfileJson(await profiles.restore(tenant, name, version)) }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/profiles/{name}',
      audit: 'profile.remove',
      summary: 'Delete a profile with all its versions.',
      description:
        'Its contents cannot be read any more from this moment, wherever copies are. Refused while ' +
        'a session will save it; sessions that only began with it go on.',
      params: ofProfile,
      response: success,
      async handler({ caller: { tenant }, params: { name } }) {
        await profiles.remove(tenant, name)
        return succeeded
      },
    }),
  ]
}
