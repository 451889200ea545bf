/** Standard changes: the fields that each template allows, and who approved it. */
import { areaRules } from '../../../../../proto/access/areas/areas.ts'
import {
  changeTemplates,
  isRequestable,
  type ChangeTemplate,
} from '../../../../../proto/access/changes/change-templates.ts'
import { FactList, PageSection } from '../../../../html/parts.tsx'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import { templateFieldSpecs, type FieldSpec } from '../form/spec.ts'
import { mayPropose } from '../change/possible-actions.ts'

export const showTemplates = (visit: Visit): PageContent => ({
  title: 'Templates',
  lead: 'Frequent changes with low risk and a known rollback are approved in advance. Templates are part of the service and change with its releases.',
  up: { href: visit.at('/changes'), label: 'Changes' },
  body: (
    <>
      {changeTemplates.map((template) => (
        <Template visit={visit} of={template} />
      ))}
    </>
  ),
})

const Template = ({ visit, of }: { visit: Visit; of: ChangeTemplate }) => (
  <PageSection
    title={of.title}
    actions={
      isRequestable(of) && mayPropose(visit) ? (
        <a href={visit.at(`/changes/new?template=${of.id}`)}>
          Request it<span class="hidden">: {of.title}</span>
        </a>
      ) : undefined
    }
  >
    <FactList
      of={[
        { term: 'Description', is: of.about },
        {
          term: 'Writes',
          is: (
            <>
              {of.operation === 'create' ? 'A new record in' : 'A record in'}{' '}
              {areaRules[of.area].label}:
              <ul>
                {templateFieldSpecs(of).map((spec) => (
                  <li>{fieldWord(spec)}</li>
                ))}
              </ul>
            </>
          ),
        },
        { term: 'Test plan', is: of.test_plan },
        { term: 'Rollback plan', is: of.rollback_plan },
        { term: 'Approval', is: of.approval },
      ]}
    />
  </PageSection>
)

/** For example `Status: Paused or Unknown`. */
function fieldWord({ label, kind, ...spec }: FieldSpec): string {
  if (kind.type === 'choice') {
    const values = kind.values.map((one) =>
      one === 'true' ? 'Yes' : one === 'false' ? 'No' : toWords(one),
    )
    return `${label}: ${values.join(' or ')}`
  }
  return 'hint' in spec && spec.hint !== undefined ? `${label}. ${spec.hint}` : label
}
