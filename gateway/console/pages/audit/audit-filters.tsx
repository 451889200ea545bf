/** The filters of the audit. */
import { serviceAuditActionNames, serviceAuditOutcomes } from '../../../../proto/service-audit.ts'
import { SelectField, TextField, type FieldChoice } from '../../../html/fields.tsx'
import { FilterForm } from '../../../html/filters.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { auditFilters, auditSpans, type AuditFilter } from './audit-query.ts'
import { auditActionWords, auditOutcomeWords } from './audit-words.ts'

const labels: Readonly<Record<AuditFilter, string>> = {
  tenant: 'Tenant',
  key_id: 'Key ID',
  session_id: 'Session',
  address: 'Address',
}

const any = (label: string): FieldChoice => ({ value: '', label })

export const AuditFilterForm = ({
  visit,
  isFiltered,
}: {
  visit: ConsoleVisit
  isFiltered: boolean
}) => (
  <FilterForm path={visit.at('/audit')} isFiltered={isFiltered}>
    <SelectField
      name="action"
      label="Action"
      value={visit.asked('action') ?? ''}
      choices={[
        any('Any'),
        ...serviceAuditActionNames.map((value) => ({ value, label: auditActionWords[value] })),
      ]}
    />
    <SelectField
      name="outcome"
      label="Outcome"
      value={visit.asked('outcome') ?? ''}
      choices={[
        any('Any'),
        ...serviceAuditOutcomes.map((value) => ({ value, label: auditOutcomeWords[value].label })),
      ]}
    />
    <SelectField
      name="since"
      label="When"
      value={visit.asked('since') ?? ''}
      choices={[any('Any time'), ...auditSpans.map(({ name, label }) => ({ value: name, label }))]}
    />
    {auditFilters.map((name) => (
      <TextField name={name} label={labels[name]} isOptional value={visit.asked(name)} />
    ))}
  </FilterForm>
)
