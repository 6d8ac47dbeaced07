// What only some may see: others read who may.
import type { ReactNode } from 'react';
import { useMay } from '../../components/rights';
import { Empty, Loading } from '../../components/states';

export function Only({ permission, what, children }: { permission: string; what: string; children: ReactNode }) {
  const isAllowed = useMay(permission);
  if (isAllowed === undefined) return <Loading what="what you may do" />;
  if (isAllowed) return children;
  return <div className="card"><Empty title="This is for administrators">You may not {what}. If you need to, ask somebody who administers this cluster.</Empty></div>;
}
