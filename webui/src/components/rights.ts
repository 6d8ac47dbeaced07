import { useQuery } from '@tanstack/react-query';
import { rightsQuery } from '../api/sections';

// Whether one may do it everywhere, by the permission's name without "PERMISSION_TYPE_". Undefined until it is known.
export function useMay(permission: string): boolean | undefined {
  const { data } = useQuery(rightsQuery);
  return data && (data.isAdmin || data.permissions.includes(`PERMISSION_TYPE_${permission}`));
}
