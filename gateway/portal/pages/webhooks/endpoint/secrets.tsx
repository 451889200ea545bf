/**
 * The signing secrets of an endpoint: showing once, rotating, and how a receiver verifies messages.
 */
import type { z } from 'zod'
import type { EndpointSecret, EndpointView } from '../../../../../proto/access/webhooks/endpoint.ts'
import { dataJson } from '../../../../routing/schemas/access-json.ts'
import { madeEndpointJson } from '../../../../webhooks/json.ts'
import { SelectField } from '../../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { IdCode, NoticeBox, PageSection, TimeText } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { fromNow } from '../../../../html/times.ts'
import { PingButton } from './proof.tsx'
import { VerificationSamples } from './samples.tsx'

const hourSeconds = 3_600
/** How long the old secret keeps signing; 7 days at most. */
const graces = [
  { value: String(24 * hourSeconds), label: '1 day' },
  { value: String(hourSeconds), label: '1 hour' },
  { value: String(7 * 24 * hourSeconds), label: '7 days' },
  { value: '0', label: 'No time (it ends now)' },
] as const

export const EndpointSecrets = ({
  visit,
  endpoint,
  isMine,
  problem,
}: {
  visit: Visit
  endpoint: EndpointView
  isMine: boolean
  problem: FormProblem | undefined
}) => (
  <PageSection title="Signature">
    <DataTable
      caption="Secrets that sign the messages. A secret is shown only once, when it is created"
      rows={endpoint.secrets}
      columns={[
        {
          label: 'Secret',
          isHead: true,
          cell: ({ hint, publicKey }) => <IdCode>{publicKey ?? hint}</IdCode>,
        },
        { label: 'Kind', cell: ({ kind }) => (kind === 'hmac' ? 'Shared secret' : 'Key pair') },
        {
          label: 'Created',
          cell: ({ createdAtMs }) => <TimeText ms={createdAtMs} zone={visit.zone} />,
        },
        { label: 'Valid until', cell: (secret) => <SignsUntil visit={visit} secret={secret} /> },
      ]}
    />
    <VerificationSamples kind={endpoint.secrets[0]?.kind ?? 'hmac'} />
    {isMine ? (
      <Collapsible
        label="Rotate the secret"
        isOpen={visit.verb === 'rotate' && problem !== undefined}
      >
        <PostForm
          visit={visit}
          action={visit.at(`/webhooks/${endpoint.id}/rotate`)}
          isOnce
          class="narrow"
        >
          <p>
            The new secret signs messages immediately. The old one keeps signing them too for a
            while, so that your receiver refuses nothing until it has the new secret.
          </p>
          <SelectField
            name="grace_seconds"
            label="Keep signing with the old secret for"
            value={visit.form.given('grace_seconds') ?? graces[0].value}
            choices={graces}
          />
          <SubmitButton>Create a new secret</SubmitButton>
        </PostForm>
      </Collapsible>
    ) : (
      ''
    )}
  </PageSection>
)

const SignsUntil = ({
  visit,
  secret: { expiresAtMs },
}: {
  visit: Visit
  secret: EndpointSecret
}) =>
  expiresAtMs === undefined ? (
    <>Until replaced</>
  ) : (
    <>
      <TimeText ms={expiresAtMs} zone={visit.zone} />{' '}
      <span class="quiet">{fromNow(expiresAtMs, visit.now)}</span>
    </>
  )

export async function rotateSecret(visit: Visit): Promise<PageContent> {
  const { form, deps, facts } = visit
  const act = {
    params: { id: visit.param('id') },
    body: { grace_seconds: Number(form.text('grace_seconds') || NaN) },
    once: form.text('once'),
  }
  const route = 'POST /v1/webhook-endpoints/{id}/secret/rotate'
  const { data } = await deps.acts.run(facts, route, act, dataJson(madeEndpointJson))
  return secretPage(visit, data, 'rotated')
}

type MadeEndpoint = z.output<typeof madeEndpointJson>

/** The answer to the form that created the secret; it is never shown again. */
export function secretPage(
  visit: Visit,
  { id, url, secret, secrets, status }: MadeEndpoint,
  what: 'new' | 'rotated',
): PageContent {
  const kind = secrets[0]?.signature ?? 'hmac'
  return {
    title: what === 'new' ? 'Your new endpoint' : 'Your new secret',
    lead: <bdi class="breaks">{url}</bdi>,
    up: { href: visit.at(`/webhooks/${id}`), label: 'Endpoint' },
    body: (
      <>
        {secret === null ? (
          <NoticeBox tone="info" title="Public key of this endpoint">
            <p>
              Your receiver verifies signatures with it. You can find it on the endpoint’s page at
              any time.
            </p>
            <p class="secret">
              <IdCode>{secrets[0]?.public_key ?? ''}</IdCode>
            </p>
          </NoticeBox>
        ) : (
          <NoticeBox tone="wait" title="This secret is shown only once">
            <p>Copy it now to where your receiver keeps its secrets. It cannot be shown again.</p>
            <p class="secret">
              <IdCode>{secret}</IdCode>
            </p>
          </NoticeBox>
        )}
        <PageSection title="Set up your receiver">
          <VerificationSamples kind={kind} isOpen />
        </PageSection>
        <div class="buttons ends">
          {status === 'pending' ? (
            <PingButton visit={visit} id={id} label="My receiver is ready: send the ping" />
          ) : (
            ''
          )}
          <a href={visit.at(`/webhooks/${id}`)}>View the endpoint</a>
        </div>
      </>
    ),
  }
}
